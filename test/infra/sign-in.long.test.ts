import { expect, it } from 'vitest'
import { templatesOf } from '#test/support/service/templates.ts'

const secretOf = (kind: string) => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${kind}-AbCdEf`

it('lets the callbacks of providers, and nobody else, read the secrets of the deployment at providers', async () => {
  const templates = await templatesOf([], {
    suiteClientId: 'suite-app',
    suiteClientSecretArn: secretOf('suite'),
    tenantClientId: 'tenant-app',
    tenantClientSecretArn: secretOf('tenant'),
  })
  const reading = (kind: string) =>
    templates
      .entries('AWS::IAM::Policy')
      .filter(([, { Properties }]) => JSON.stringify(Properties.PolicyDocument).includes(secretOf(kind)))
      .map(([id]) => id.replace(/DefaultPolicy.*/, ''))
  expect([reading('suite'), reading('tenant')]).toEqual([['RolesCallback'], ['RolesCallback']])
})
