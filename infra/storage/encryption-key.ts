import { Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { arnOf } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { removalPolicyOf } from './data-retention.ts'

const keyActions = ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo', 'kms:GenerateDataKey']

/**
 * Creates or references the key that encrypts stored data; null if AWS's keys are used. The policy of an existing key must grant the same
 * permissions as the policy created here (docs/deploy.md).
 */
export function encryptionKey(scope: Construct, settings: Settings): IKey | null {
  const choice = settings.encryptionKey
  if (choice === 'aws') return null
  if (choice !== 'own') return Key.fromKeyArn(scope, 'Key', choice)
  const key = new Key(scope, 'Key', {
    description: 'Network Access Administration: data at rest. Without this key, the data cannot be read.',
    enableKeyRotation: true,
    removalPolicy: removalPolicyOf(settings),
  })
  const { account, region, urlSuffix } = Stack.of(scope)
  key.addToResourcePolicy(
    new PolicyStatement({
      // Allows two names, because CloudWatch Logs uses either its regional service name, as AWS documents, or the global one.
      principals: ['logs.amazonaws.com', `logs.${region}.${urlSuffix}`].map((name) => new ServicePrincipal(name)),
      actions: [...keyActions, 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': arnOf(scope, 'logs', 'log-group:*') } },
    }),
  )
  key.addToResourcePolicy(
    new PolicyStatement({
      // Allows alarms to publish to the encrypted topic.
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  )
  return key
}

/** Builds the permission to use the key, but only through the services that store data. */
export function allowKeyUse(scope: Construct, key: IKey): PolicyStatement {
  // Matches any suffix, because the suffix of a service name differs by partition.
  const via = ['dynamodb', 'kinesis', 's3', 'secretsmanager'].map((name) => `${name}.${Stack.of(scope).region}.*`)
  return new PolicyStatement({
    actions: [...keyActions, 'kms:DescribeKey'],
    resources: [key.keyArn],
    conditions: { StringLike: { 'kms:ViaService': via } },
  })
}
