import { Alarm, type AlarmProps, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

/** An alarm that goes off at once above 0, unless its properties say otherwise. Without data it is silent. */
export function alarmOn(
  scope: Construct,
  id: string,
  metric: IMetric,
  alarmDescription: string,
  topic: ITopic | null,
  own: Partial<AlarmProps> = {},
): Alarm {
  const alarm = new Alarm(scope, id, {
    metric,
    alarmDescription,
    threshold: 0,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    ...own,
  })
  if (topic) alarm.addAlarmAction(new SnsAction(topic))
  if (topic) alarm.addOkAction(new SnsAction(topic))
  return alarm
}
