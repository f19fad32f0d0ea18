import type { Construct } from 'constructs'
import { may, type Operated, ownArns } from './operated.ts'

/** Rights to keep the service running: what they do is undone by the same rights, but for a removed batch, and gives nobody access to data. */
export function operatingRights(scope: Construct, { settings, storage, tasks }: Operated) {
  const own = ownArns(scope, settings)
  return [
    may(['lambda:InvokeFunction'], tasks.operator),
    may(['events:DisableRule', 'events:EnableRule'], [own.rules]),
    may(['cloudwatch:SetAlarmState'], [own.alarms]),
    // The end of a deployment, which takes it back.
    may(['codedeploy:StopDeployment'], [own.deployments]),
    may(['cloudformation:CancelUpdateStack'], own.stacks),
    // A removed batch stays as an older version for some days. What is in a batch is data.
    may(['s3:ListBucket'], [storage.failures.bucketArn]),
    may(['s3:DeleteObject'], [storage.failures.arnForObjects('aws/lambda/*')]),
    ...(settings.cdnSecretArn === null ? [] : [may(['secretsmanager:RotateSecret'], [settings.cdnSecretArn])]),
  ]
}
