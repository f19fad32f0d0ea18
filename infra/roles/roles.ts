import { Stack } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { LiveApi } from '../api/live-api.ts'
import { acknowledge, wildcardRule } from '../nag/acknowledge.ts'
import { acknowledgeMadeUpNames } from '../nag/made-up-names.ts'
import { acknowledgeTracing } from '../nag/tracing.ts'
import type { Settings } from '../settings/settings.ts'
import { useOfKey } from '../storage/encryption-key.ts'
import type { Storage } from '../storage/storage.ts'
import { answeringRights } from './answering-rights.ts'
import { consumerRights } from './consumer-rights.ts'
import { answering, type Duty, duties, keyless, mailing, sending } from './duties.ts'
import { keepsTrail } from './keeps-trail.ts'
import { scheduleRights } from './schedule-rights.ts'
import { sealingRights } from './sealing-rights.ts'
import { taskRights } from './task-rights.ts'
import { acknowledgeVersions, versionRights } from './version-rights.ts'

type Props = { storage: Storage; logGroup: ILogGroup; settings: Settings; channel: LiveApi | null }

/** The address or its domain, whichever is verified. */
const sendingFrom = (scope: Construct, sender: string) => ({
  actions: ['ses:SendEmail'],
  resources: [sender, sender.slice(sender.indexOf('@') + 1)].map((resourceName) =>
    Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName }),
  ),
})

const readsSecretAt = (arn: string) => ({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] })

/** One role for each duty, with no more rights than that duty has. */
export class Roles extends Construct {
  readonly of: Record<Duty, Role>

  constructor(scope: Construct, id: string, { storage, logGroup, settings, channel }: Props) {
    super(scope, id)
    const rights = this.rights(storage, settings)
    const role = (duty: Duty): Role => {
      const made = new Role(this, duty.charAt(0).toUpperCase() + duty.slice(1), {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      })
      for (const statement of [...rights[duty], ...keepsTrail(duty, storage)]) made.addToPolicy(statement)
      logGroup.grantWrite(made)
      return made
    }
    this.of = Object.fromEntries(duties.map((duty) => [duty, role(duty)])) as Record<Duty, Role>
    // Those who may send messages for connections: the channel itself, and who makes or ends what devices hold.
    for (const duty of sending) channel?.manageConnections(this.of[duty])
    this.acknowledgeWildcards(storage, logGroup)
    acknowledgeVersions(this, settings, this.of)
    if (settings.tracing) for (const made of Object.values(this.of)) acknowledgeTracing(made)
  }

  private rights(storage: Storage, settings: Settings): Record<Duty, PolicyStatement[]> {
    const rights: Record<Duty, PolicyStatement[]> = {
      ...answeringRights(storage),
      ...scheduleRights(storage),
      ...sealingRights(storage),
      ...consumerRights(storage),
      ...taskRights(storage),
      ...versionRights(this, settings),
    }
    if (settings.mailSender) {
      for (const duty of mailing) rights[duty].push(new PolicyStatement(sendingFrom(this, settings.mailSender)))
    }
    for (const arn of [settings.suiteClientSecretArn, settings.tenantClientSecretArn]) {
      if (arn !== null) rights.signIn.push(new PolicyStatement(readsSecretAt(arn)))
    }
    if (settings.cdnSecretArn) {
      for (const duty of answering) rights[duty].push(new PolicyStatement(readsSecretAt(settings.cdnSecretArn)))
    }
    if (storage.key) {
      for (const duty of duties) if (!keyless.includes(duty)) rights[duty].push(useOfKey(this, storage.key))
    }
    return rights
  }

  private acknowledgeWildcards(storage: Storage, logGroup: ILogGroup): void {
    acknowledge(this, wildcardRule(this, logGroup.logGroupArn), 'The ARN of a log group ends with all its streams.')
    acknowledge(
      this.of.checkConcurrency,
      'AwsSolutions-IAM5[Resource::*]',
      'GetAccountSettings is about the account and knows no resources.',
    )
    for (const duty of ['seal', 'renewLocks'] as const) {
      acknowledge(
        this.of[duty],
        wildcardRule(storage.sealed, storage.sealed.arnForObjects('*')),
        'Tiles and checkpoints are named by account and number.',
      )
    }
    acknowledgeMadeUpNames(this.of.redrive, storage.failures, storage.failures.arnForObjects('aws/lambda/*'))
  }
}
