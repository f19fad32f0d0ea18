import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager'
import type { Context } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/tasks/rotate-origin-secret.ts'

const manager = mockClient(SecretsManagerClient)
const SecretId = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:origin-AbCdEf'
const run = (Step: string) =>
  handler({ Step, SecretId, ClientRequestToken: 'new' }, { getRemainingTimeInMillis: () => 0 } as Context)

beforeEach(() => {
  vi.stubEnv('DISTRIBUTION_ID', 'E123')
  manager
    .on(GetSecretValueCommand, { SecretId, VersionStage: 'AWSCURRENT' })
    .resolves({ SecretString: '{"previous":"a","current":"b","next":"c"}' })
})
afterEach(() => {
  manager.reset()
  vi.unstubAllEnvs()
})
afterAll(() => manager.restore())

describe('a step of the rotation', () => {
  it('prepares a version under its own token, once', async () => {
    const missing = new ResourceNotFoundException({ message: 'none', $metadata: {} })
    manager.on(GetSecretValueCommand, { SecretId, VersionId: 'new', VersionStage: 'AWSPENDING' }).rejectsOnce(missing)
    manager.on(PutSecretValueCommand).resolves({})
    await run('createSecret')
    const [call] = manager.commandCalls(PutSecretValueCommand)
    expect(call?.args[0].input).toMatchObject({ SecretId, ClientRequestToken: 'new', VersionStages: ['AWSPENDING'] })
    expect(JSON.parse(call?.args[0].input.SecretString ?? '')).toMatchObject({ previous: 'b', current: 'c' })

    manager
      .on(GetSecretValueCommand, { SecretId, VersionId: 'new', VersionStage: 'AWSPENDING' })
      .resolves({ SecretString: '{"current":"c"}' })
    await run('createSecret')
    expect(manager.commandCalls(PutSecretValueCommand)).toHaveLength(1)
  })

  it('prepares nothing when the version cannot be told', async () => {
    manager
      .on(GetSecretValueCommand, { SecretId, VersionId: 'new', VersionStage: 'AWSPENDING' })
      .rejects(new Error('denied'))
    await expect(run('createSecret')).rejects.toThrow('denied')
    expect(manager.commandCalls(PutSecretValueCommand)).toHaveLength(0)
  })

  it('lets the prepared version count, once', async () => {
    manager.on(UpdateSecretVersionStageCommand).resolves({})
    manager
      .on(DescribeSecretCommand, { SecretId })
      .resolves({ VersionIdsToStages: { old: ['AWSCURRENT'], new: ['AWSPENDING'] } })
    await run('finishSecret')
    expect(manager.commandCalls(UpdateSecretVersionStageCommand)[0]?.args[0].input).toEqual({
      SecretId,
      VersionStage: 'AWSCURRENT',
      MoveToVersionId: 'new',
      RemoveFromVersionId: 'old',
    })
    manager
      .on(DescribeSecretCommand, { SecretId })
      .resolves({ VersionIdsToStages: { old: ['AWSPREVIOUS'], new: ['AWSCURRENT', 'AWSPENDING'] } })
    await run('finishSecret')
    expect(manager.commandCalls(UpdateSecretVersionStageCommand)).toHaveLength(1)
  })

  it('refuses a step that no rotation has', async () => {
    await expect(run('deleteSecret')).rejects.toThrow('no step deleteSecret')
  })
})
