import { expect, it } from 'vitest'
import { templatesOf } from '#test/support/service/templates.ts'

const secretOf = (kind: string) => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${kind}-AbCdEf`

it("allows only callbacks to read the deployment's client secrets", async () => {
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
