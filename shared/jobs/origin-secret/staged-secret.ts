import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager'
import { readSecret, secretsManager } from '../../core/aws/secrets-manager.ts'

/** Accesses a secret in Secrets Manager, and the version that the rotation with this `token` creates. */
export function stagedSecret(SecretId: string, token: string) {
  const manager = secretsManager()
  return {
    current: () => readSecret(SecretId),
    /** Returns the secret string that this rotation has prepared. Returns null if none is prepared yet. */
    async pending(): Promise<string | null> {
      const version = { SecretId, VersionId: token, VersionStage: 'AWSPENDING' }
      try {
        return (await manager.send(new GetSecretValueCommand(version))).SecretString ?? null
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return null
        throw error
      }
    },
    async prepare(SecretString: string) {
      const version = { SecretId, ClientRequestToken: token, SecretString, VersionStages: ['AWSPENDING'] }
      await manager.send(new PutSecretValueCommand(version))
    },
    /** Returns the time at which the last rotation finished. Returns null before the first rotation. */
    async rotatedAt(): Promise<Date | null> {
      const { LastRotatedDate } = await manager.send(new DescribeSecretCommand({ SecretId }))
      return LastRotatedDate ?? null
    },
    /** Makes the prepared version the current one. Idempotent. */
    async finish() {
      const { VersionIdsToStages = {} } = await manager.send(new DescribeSecretCommand({ SecretId }))
      const [inForce] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes('AWSCURRENT')) ?? []
      if (inForce === token) return
      const move = { VersionStage: 'AWSCURRENT', MoveToVersionId: token, RemoveFromVersionId: inForce }
      await manager.send(new UpdateSecretVersionStageCommand({ SecretId, ...move }))
    },
  }
}

export type StagedSecret = ReturnType<typeof stagedSecret>
