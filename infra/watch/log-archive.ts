import { ArnFormat, Stack } from 'aws-cdk-lib'
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnSubscriptionFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { ownEnd } from '../own-end.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'

type Props = {
  settings: Settings
  storage: Storage
  /** Log groups that are copied, by name. */
  logs: Record<string, ILogGroup>
  /** Functions that an operator invokes. */
  tasks: IFunction[]
  /** Roles of the service's own functions. */
  roles: IRole[]
}

const where = (field: string, values: Partial<CfnTrail.AdvancedFieldSelectorProperty>) => ({ field, ...values })

/** Sends log lines and data events to another account, where no administrator of this one changes them (docs/log-archive.md). */
export class LogArchive extends Construct {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    const { logDestinationArn, dataEventsBucket } = props.settings
    if (logDestinationArn !== null) {
      for (const [name, { logGroupName }] of Object.entries(props.logs)) {
        const filter = { logGroupName, destinationArn: logDestinationArn, filterPattern: '' }
        new CfnSubscriptionFilter(this, name, filter)
      }
    }
    if (dataEventsBucket !== null) this.addTrail(props, dataEventsBucket)
  }

  private addTrail({ settings, storage, tasks, roles }: Props, s3BucketName: string): void {
    const data = (type: string) => [
      where('eventCategory', { equalTo: ['Data'] }),
      where('resources.type', { equalTo: [type] }),
    ]
    const byOwnRole = roles.map(({ roleName }) =>
      Stack.of(this).formatArn({
        service: 'sts',
        region: '',
        resource: 'assumed-role',
        resourceName: `${roleName}/`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    )
    new CfnTrail(this, 'DataEvents', {
      // A policy of the bucket names the trail by the beginning of its name.
      trailName: `${settings.prefix}-data-events-${ownEnd(Stack.of(this))}`,
      s3BucketName,
      isLogging: true,
      enableLogFileValidation: true,
      advancedEventSelectors: [
        {
          name: 'Objects of the sealed logs',
          fieldSelectors: [
            ...data('AWS::S3::Object'),
            where('resources.ARN', { startsWith: [storage.sealed.arnForObjects('')] }),
          ],
        },
        {
          name: 'Tasks of operators',
          fieldSelectors: [
            ...data('AWS::Lambda::Function'),
            where('resources.ARN', { startsWith: tasks.map(({ functionArn }) => functionArn) }),
          ],
        },
        {
          // The writes of the service are on record in the table, and would cost more than the table.
          name: 'Writes to the table by others',
          fieldSelectors: [
            ...data('AWS::DynamoDB::Table'),
            where('resources.ARN', { equalTo: [storage.table.tableArn] }),
            where('readOnly', { equalTo: ['false'] }),
            where('userIdentity.arn', { notStartsWith: byOwnRole }),
          ],
        },
      ],
    })
  }
}
