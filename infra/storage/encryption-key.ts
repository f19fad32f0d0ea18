import { ArnFormat, Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
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
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': Stack.of(scope).formatArn({
            service: 'logs',
            resource: 'log-group',
            resourceName: '*',
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
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

/** What a role needs of the key: its use by the services that hold the data, in the role's name, and by nothing else. */
export function useOfKey(scope: Construct, key: IKey): PolicyStatement {
  const { region } = Stack.of(scope)
  return new PolicyStatement({
    actions: [...using, 'kms:DescribeKey'],
    resources: [key.keyArn],
    conditions: {
      // What partitions end the name of a service with differs; AWS says it, not the caller.
      StringLike: {
        'kms:ViaService': ['dynamodb', 'kinesis', 's3', 'secretsmanager'].map((service) => `${service}.${region}.*`),
      },
    },
  })
}
