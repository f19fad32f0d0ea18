import { ArnFormat, Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'

/** Secrets that new API tokens are put into: what provisioning knows of them, and its right to create them. */
export type TokenSecrets = { environment: Record<string, string>; creation: PolicyStatement }

/** The name of each begins with it. The slash ends the prefix: no other install's prefix can begin with it. */
const namePrefix = ({ prefix }: Settings): string => `${prefix}/api-token`

/** Every secret of a token of this deployment. */
export const tokenSecretArns = (scope: Construct, settings: Settings): string =>
  Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${namePrefix(settings)}/*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })

export const tokenSecrets = (scope: Construct, settings: Settings, { key }: Storage): TokenSecrets => ({
  environment: { TOKEN_SECRETS: namePrefix(settings), ...(key && { TOKEN_SECRETS_KEY: key.keyArn }) },
  creation: new PolicyStatement({
    // A secret that is created with tags needs the second right, too. Provisioning cannot read one.
    actions: ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'],
    resources: [tokenSecretArns(scope, settings)],
  }),
})
