import { Stack } from 'aws-cdk-lib'
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnSubscriptionFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { arnOf, stackIdSuffix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'

type Props = {
  settings: Settings
  storage: Storage
  logs: Record<string, ILogGroup>
  tasks: IFunction[]
  roles: IRole[]
}

/**
 * Copies log lines and data events to a different account, where administrators of this account cannot change them (docs/log-archive.md).
 */
export function archiveLogs(scope: Construct, { settings, storage, logs, tasks, roles }: Props): void {
  const { logDestinationArn: destinationArn, dataEventsBucket: s3BucketName } = settings
  const archiveScope = new Construct(scope, 'LogArchive')
  if (destinationArn !== null) {
    for (const [name, { logGroupName }] of Object.entries(logs))
      new CfnSubscriptionFilter(archiveScope, name, { logGroupName, destinationArn, filterPattern: '' })
  }
  if (s3BucketName === null) return
  const byOwnRole = roles.map(({ roleName }) => arnOf(archiveScope, 'sts', `assumed-role/${roleName}/`, { region: '' }))
  const selectEvents = (name: string, type: string, ...fields: CfnTrail.AdvancedFieldSelectorProperty[]) => {
    const data = [
      { field: 'eventCategory', equalTo: ['Data'] },
      { field: 'resources.type', equalTo: [type] },
    ]
    return { name, fieldSelectors: [...data, ...fields] }
  }
  const objects = [storage.sealed.arnForObjects('')]
  const taskArns = tasks.map(({ functionArn }) => functionArn)
  new CfnTrail(archiveScope, 'DataEvents', {
    // Starts the name with the setting `prefix`, because the bucket's policy matches the start of the trail's name.
    trailName: `${settings.prefix}-data-events-${stackIdSuffix(Stack.of(archiveScope))}`,
    s3BucketName,
    isLogging: true,
    enableLogFileValidation: true,
    advancedEventSelectors: [
      selectEvents('Objects of the sealed logs', 'AWS::S3::Object', { field: 'resources.ARN', startsWith: objects }),
      // Excludes the service's own access, because each page of flows reads several objects.
      selectEvents(
        'Objects of archived logs, used by others',
        'AWS::S3::Object',
        { field: 'resources.ARN', startsWith: [storage.archive.arnForObjects('')] },
        { field: 'userIdentity.arn', notStartsWith: byOwnRole },
      ),
      selectEvents('Tasks of operators', 'AWS::Lambda::Function', { field: 'resources.ARN', startsWith: taskArns }),
      // Excludes the service's own writes, which the table already records. Data events for them would cost more than the table.
      selectEvents(
        'Writes to the table by others',
        'AWS::DynamoDB::Table',
        { field: 'resources.ARN', equalTo: [storage.table.tableArn] },
        { field: 'readOnly', equalTo: ['false'] },
        { field: 'userIdentity.arn', notStartsWith: byOwnRole },
      ),
    ],
  })
}
