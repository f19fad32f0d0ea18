import { Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { arnOf } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'
import { keptBy } from './kept-by.ts'

const using = ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo', 'kms:GenerateDataKey']

/**
 * The key that encrypts what the deployment keeps; null where keys of AWS do. A key that is there already must allow what
 * is allowed here (docs/deploy.md).
 */
export function encryptionKey(scope: Construct, settings: Settings): IKey | null {
  const choice = settings.encryptionKey
  if (choice === 'aws') return null
  if (choice !== 'own') return Key.fromKeyArn(scope, 'Key', choice)
  const key = new Key(scope, 'Key', {
    description: 'Network Access Administration: data at rest. Without it nothing of that can be read again.',
    enableKeyRotation: true,
    removalPolicy: keptBy(settings),
  })
  const { account, region, urlSuffix } = Stack.of(scope)
  key.addToResourcePolicy(
    new PolicyStatement({
      // CloudWatch Logs comes by the name of its region, as AWS documents it, or by that of all regions.
      principals: ['logs.amazonaws.com', `logs.${region}.${urlSuffix}`].map((name) => new ServicePrincipal(name)),
      actions: [...using, 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': arnOf(scope, 'logs', 'log-group:*') } },
    }),
  )
  key.addToResourcePolicy(
    new PolicyStatement({
      // An alarm reaches an encrypted topic by it.
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  )
  return key
}

/** The right of a role to use the key by the services that hold the data, and by nothing else. */
export function useOfKey(scope: Construct, key: IKey): PolicyStatement {
  // AWS sets the end of a service's name, which differs by partition.
  const via = ['dynamodb', 'kinesis', 's3', 'secretsmanager'].map((name) => `${name}.${Stack.of(scope).region}.*`)
  return new PolicyStatement({
    actions: [...using, 'kms:DescribeKey'],
    resources: [key.keyArn],
    conditions: { StringLike: { 'kms:ViaService': via } },
  })
}
