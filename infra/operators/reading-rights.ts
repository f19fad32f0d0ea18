import type { Construct } from 'constructs'
import { may } from '../roles/may.ts'
import { type OperatedParts, resourceArns } from './operated.ts'

/** Actions that do not support resource-level permissions, or whose resources are unknown until they are listed. */
const lists = [
  'acm:DescribeCertificate',
  'backup:DescribeBackupJob',
  'backup:ListBackupJobs',
  'backup:ListCopyJobs',
  'cloudformation:ListStacks',
  'cloudwatch:DescribeAlarmHistory',
  'cloudwatch:DescribeAlarms',
  'cloudwatch:GetDashboard',
  'cloudwatch:GetMetricData',
  'cloudwatch:GetMetricStatistics',
  'cloudwatch:ListDashboards',
  'cloudwatch:ListMetrics',
  'codedeploy:ListDeployments',
  'events:ListRules',
  'iam:GetAccountSummary',
  'lambda:GetAccountSettings',
  'lambda:ListEventSourceMappings',
  'logs:DescribeLogGroups',
  'logs:GetQueryResults',
  'logs:StopQuery',
  'servicequotas:GetServiceQuota',
  'servicequotas:ListServiceQuotas',
  'ses:GetAccount',
  'ses:GetEmailIdentity',
  'xray:BatchGetTraces',
  'xray:GetTraceSummaries',
]

export function readingRights(
  scope: Construct,
  { settings, storage, logGroups, apiIds, alarmTopicArn }: OperatedParts,
) {
  const arns = resourceArns(scope, settings)
  return [
    may(lists),
    may(
      ['logs:DescribeLogStreams', 'logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:StartQuery'],
      logGroups.map(({ logGroupArn }) => logGroupArn),
    ),
    may(
      [
        'lambda:GetAlias',
        'lambda:GetFunctionConcurrency',
        'lambda:GetFunctionConfiguration',
        'lambda:ListAliases',
        'lambda:ListVersionsByFunction',
      ],
      [arns.functions],
    ),
    may(['lambda:GetEventSourceMapping'], [arns.mappings]),
    may(['events:DescribeRule', 'events:ListTargetsByRule'], [arns.rules]),
    may(
      ['cloudformation:DescribeStackEvents', 'cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
      arns.stacks,
    ),
    may(['codedeploy:GetDeployment', 'codedeploy:GetDeploymentGroup'], [arns.deployments]),
    may(
      [
        'dynamodb:DescribeContinuousBackups',
        'dynamodb:DescribeTable',
        'dynamodb:DescribeTimeToLive',
        'dynamodb:GetResourcePolicy',
        'dynamodb:ListTagsOfResource',
      ],
      [storage.table.tableArn],
    ),
    may(['kinesis:DescribeStreamSummary', 'kinesis:ListShards'], [storage.flows.streamArn]),
    may(['kms:DescribeKey', 'kms:GetPublicKey'], [storage.sealKey.keyArn]),
    may(['s3:GetBucketObjectLockConfiguration', 's3:ListBucket'], [storage.sealed.bucketArn]),
    may(['s3:GetObjectRetention'], [storage.sealed.arnForObjects('*')]),
    may(['s3:GetLifecycleConfiguration', 's3:ListBucket'], [storage.archive.bucketArn]),
    may(['sns:ListSubscriptionsByTopic'], [alarmTopicArn]),
    may(
      ['apigateway:GET'],
      apiIds.flatMap((id) => [arns.api(id, ''), arns.api(id, '/*')]),
    ),
    ...(settings.cdnSecretArn === null ? [] : [may(['secretsmanager:DescribeSecret'], [settings.cdnSecretArn])]),
  ]
}
