import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { acknowledgeGeneratedNames, acknowledgeTracing, acknowledgeWildcards } from '../nag/acknowledge.ts'
import { arnOf } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { allowKeyUse } from '../storage/encryption-key.ts'
import type { Storage } from '../storage/storage.ts'
import { denyAuditWrites } from './deny-audit-writes.ts'
import { type Duty, duties, hasTrait } from './duties.ts'
import { may } from './may.ts'
import { logFilesOf, rightsOfDuties, versionRights } from './rights.ts'

export class Roles extends Construct {
  readonly of: Record<Duty, Role>

  constructor(
    scope: Construct,
    storage: Storage,
    logGroup: ILogGroup,
    settings: Settings,
    channel: { manageConnections(role: Role): void } | null,
  ) {
    super(scope, 'Roles')
    const rights: Record<Duty, PolicyStatement[]> = { ...rightsOfDuties(storage), ...versionRights(this, settings) }
    const role = (duty: Duty): Role => {
      const roleOfDuty = new Role(this, duty.charAt(0).toUpperCase() + duty.slice(1), {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      })
      const optional = this.rightsBySettings(duty, storage, settings)
      for (const statement of [...rights[duty], ...optional, ...denyAuditWrites(duty, storage)])
        roleOfDuty.addToPolicy(statement)
      logGroup.grantWrite(roleOfDuty)
      // Allows the live channel, and functions that create or end device grants or sessions, to send messages.
      if (hasTrait(duty, 'sends')) channel?.manageConnections(roleOfDuty)
      if (settings.tracing) acknowledgeTracing(roleOfDuty)
      return roleOfDuty
    }
    this.of = Object.fromEntries(duties.map((duty) => [duty, role(duty)])) as Record<Duty, Role>
    const { redrive, seal, renewLocks, archive, readerOfLogs, verifyArchive, deleteAccounts, checkConcurrency } =
      this.of
    const { sealed, failures } = storage
    acknowledgeWildcards(
      this,
      this,
      [logGroup.logGroupArn],
      'The ARN of a log group ends with a wildcard for its streams.',
    )
    acknowledgeWildcards(
      checkConcurrency,
      this,
      ['*'],
      'GetAccountSettings does not support resource-level permissions.',
    )
    const reason = 'The names of tiles and checkpoints contain the account and a number.'
    for (const user of [seal, renewLocks]) acknowledgeWildcards(user, sealed, [sealed.arnForObjects('*')], reason)
    const ofArchive = 'The names of files and manifests contain the account and the hour.'
    for (const user of [archive, readerOfLogs, verifyArchive, this.of.eraseActor, deleteAccounts])
      acknowledgeWildcards(user, storage.archive, [storage.archive.arnForObjects('*')], ofArchive)
    acknowledgeWildcards(this.of.eraseActor, storage.archive, logFilesOf(storage.archive), ofArchive)
    acknowledgeWildcards(seal, storage.archive, [storage.archive.arnForObjects('v1/manifest/*')], ofArchive)
    acknowledgeGeneratedNames(redrive, failures, failures.arnForObjects('aws/lambda/*'))
    const ofVersions = 'CloudFormation generates the names of stacks and functions, and Lambda numbers the versions.'
    for (const duty of ['rollBack', 'pruneVersions'] as const) {
      const patterns = new Set(rights[duty].flatMap(({ resources }) => resources))
      acknowledgeWildcards(this.of[duty], this, [...patterns], ofVersions)
    }
  }

  private rightsBySettings(duty: Duty, { key }: Storage, settings: Settings): PolicyStatement[] {
    const { mailSender: sender, suiteClientSecretArn, tenantClientSecretArn, cdnSecretArn } = settings
    // Allows both identities, because SES may have verified either the address or its domain.
    const senders = sender ? [sender, sender.slice(sender.indexOf('@') + 1)] : []
    const identities = senders.map((name) => arnOf(this, 'ses', `identity/${name}`))
    const secrets = [
      ...(duty === 'callback' ? [suiteClientSecretArn, tenantClientSecretArn] : []),
      ...(hasTrait(duty, 'answers') ? [cdnSecretArn] : []),
    ]
    return [
      ...(sender && hasTrait(duty, 'mails') ? [may(['ses:SendEmail'], identities)] : []),
      ...secrets.flatMap((arn) => (arn === null ? [] : [may(['secretsmanager:GetSecretValue'], [arn])])),
      ...(key && !hasTrait(duty, 'keyless') ? [allowKeyUse(this, key)] : []),
    ]
  }
}
