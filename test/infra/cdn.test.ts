import { expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { templatesOf } from '#test/support/service/templates.ts'

const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:cdn-AbCdEf'
const some = async () =>
  (await loadOperations()).filter(({ operation }) => /^\/(groups|ingestion)/.test(operation.path))

type Statement = { Action: string | string[]; Resource: unknown }

it('behind a CDN every function that serves requests can read its own secret, and no other', async () => {
  const templates = await templatesOf(await some(), { cdnSecretArn: arn })
  const readers = templates
    .entries('AWS::IAM::Policy')
    .filter(([, { Properties }]) =>
      (Properties.PolicyDocument.Statement as Statement[]).some(
        ({ Action, Resource }) => Action === 'secretsmanager:GetSecretValue' && [Resource].flat().includes(arn),
      ),
    )
  const roles = readers.map(([, { Properties }]) => Properties.Roles[0].Ref.replace(/^Roles|[0-9A-F]{8}$/g, ''))
  expect(roles.sort()).toEqual([
    'Callback',
    'Client',
    'DirectoryKeys',
    'Gateway',
    'Ingest',
    'Live',
    'Public',
    'PublicKey',
    'Reader',
    'ReaderOfLogs',
    'ReaderOfSessions',
    'SecretReader',
    'SignIn',
    'Writer',
  ])
  for (const { Properties } of templates.all('AWS::Lambda::Function')) {
    if (String(Properties.Handler).includes('/'))
      expect(JSON.stringify(Properties.Environment)).toContain('"CDN_SECRET_ARN"')
  }
})

it('without a CDN it requires no secret', async () => {
  const { stacks } = await templatesOf([])
  expect(JSON.stringify(stacks)).not.toContain('CDN_SECRET')
})

it.each(['hunter2', 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:cdn', 'arn:aws:s3:::bucket'])(
  'refuses %s as the ARN of its secret, so that no template contains a secret',
  async (cdnSecretArn) => {
    await expect(templatesOf([], { cdnSecretArn })).rejects.toThrow('must be the full ARN of a secret')
  },
)
