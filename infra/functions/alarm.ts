import { Alarm, type AlarmProps, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

/** Creates an alarm. By default, a single period above 0 raises the alarm, and missing data does not. */
export function alarmOn(
  scope: Construct,
  id: string,
  metric: IMetric,
  alarmDescription: string,
  topic: ITopic | null,
  overrides: Partial<AlarmProps> = {},
): Alarm {
  const alarm = new Alarm(scope, id, {
    metric,
    alarmDescription,
    threshold: 0,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    ...overrides,
  })
  if (topic) alarm.addAlarmAction(new SnsAction(topic))
  if (topic) alarm.addOkAction(new SnsAction(topic))
  return alarm
}
