import type { Construct } from 'constructs'
import { defaultSettings } from '#shared/core/env.ts'
import { addressSettings } from './address.ts'
import { dataSettings } from './data.ts'
import {
  flag,
  integerSetting,
  type Kind,
  mailAddress,
  optional,
  pairs,
  type Setting,
  setting,
  textSetting,
} from './kinds.ts'
import { loadSettings } from './load.ts'
import { operatorSettings } from './operator.ts'
import { signInSettings, synchronisationSettings } from './sign-in.ts'

const installSettings = {
  stackName: setting(
    textSetting(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a letter, followed by at most 63 letters, digits or hyphens'),
    'NetworkAccess',
    "Name of the service's stack. The names of the other stacks, and names that CloudFormation generates, start with it.",
  ),
  prefix: optional(
    textSetting(
      /^[a-z][a-z0-9-]{0,31}$/,
      'a lowercase letter, followed by at most 31 lowercase letters, digits or hyphens',
    ),
    'Start of the few names that the templates set explicitly.',
    '`stackName` in kebab case',
  ),
  // Limits the tags, because the template repeats them for each resource and CloudFormation accepts at most 1 MB.
  tags: setting(pairs(40, 1_000), {}, 'Tags of the stacks and of every resource that supports tags.'),
  permissionsBoundary: optional(
    textSetting(
      /^(arn:[^:]+:iam::(\d{12}|aws):policy\/\S{1,640}|[\w+=,.@-]{1,128})$/,
      'the name or ARN of a managed policy',
    ),
    'Permissions boundary of every role.',
  ),
}

const behaviourSettings = {
  syncDeletionBrakePercent: setting(
    integerSetting(1, 100),
    defaultSettings.syncDeletionBrakePercent,
    'Maximum percentage of the objects of a directory or inventory that one sync run may delete. A run that would delete more stops.',
  ),
  heartbeatSecs: setting(
    integerSetting(1, 86_400),
    defaultSettings.heartbeatSecs,
    'Seconds between two heartbeats of a gateway or client. A lease lasts three heartbeats.',
  ),
  live: setting(
    flag,
    true,
    '`false` leaves out the live channel. Gateways and clients then receive changes with their heartbeats only.',
  ),
  console: setting(
    flag,
    true,
    '`false` leaves out the web console, its sign-in operations and its cookie. API tokens and portal sessions still work.',
  ),
  mailSender: optional(
    mailAddress,
    'Sender of passcodes and of mails to administrators, verified in Amazon SES. Without it no mail is sent.',
  ),
}

/**
 * All settings of a deployment, given as CDK context (`cdk deploy -c flowStreamShards=2`). The table in docs/settings.md is generated in
 * this order.
 */
export const settingGroups = {
  Install: installSettings,
  Data: dataSettings,
  Address: addressSettings,
  Load: loadSettings,
  Behaviour: behaviourSettings,
  'Sign-in': signInSettings,
  Synchronisation: synchronisationSettings,
  Operator: operatorSettings,
}

type Definitions = { [G in keyof typeof settingGroups]: (typeof settingGroups)[G] }[keyof typeof settingGroups]
type Union<T> = T extends unknown ? (value: T) => void : never
type Merged = Union<Definitions> extends (value: infer M) => void ? M : never
type ValueOf<S> = S extends { kind: Kind<infer T>; fallback: infer F } ? T | (null extends F ? null : never) : never

/** Values of all settings of a deployment; null for a setting without a value or default. */
export type Settings = { [K in keyof Merged]: ValueOf<Merged[K]> } & {
  prefix: string
  flowConcurrency: number | 'none'
}

export class SettingError extends Error {
  readonly setting: string
  readonly rule: string

  constructor(setting: string, rule: string, message = `The setting ${setting} must be ${rule}.`) {
    super(message)
    this.setting = setting
    this.rule = rule
  }
}

const all: Record<string, Setting<unknown>> = Object.assign({}, ...Object.values(settingGroups))

/** Name in kebab case, at most 32 characters: `NetworkAccess` → `network-access`. */
const kebabCase = (name: string): string =>
  name
    .replace(/(?<=[a-z0-9])[A-Z]/g, '-$&')
    .slice(0, 32)
    .toLowerCase()

/** Settings that require another setting. In the first pairs, each setting requires the other. */
const together = [
  ...[
    ['domainName', 'certificateArn'],
    ['liveDomainName', 'liveCertificateArn'],
    ['suiteClientId', 'suiteClientSecretArn'],
    ['tenantClientId', 'tenantClientSecretArn'],
  ].flatMap((pair) => [pair, pair.toReversed()]),
  ['frontCertificateArn', 'domainName'],
  ['webAclArn', 'frontCertificateArn'],
  ['backupLock', 'backupVaultArn'],
]

/** Settings that must not exceed another setting. API Gateway enforces the account's or route's limit first. */
const atMost = [
  ['throttleRate', 'accountRequests'],
  ['anonymousRate', 'accountRequests'],
  ['ingestRate', 'accountRequests'],
  ['signInBurst', 'anonymousBurst'],
] as const

/** Settings with ARNs that must be in the service's region. */
const ofTheRegion = [
  'tableStreamArn',
  'flowStreamArn',
  'secretKeyArn',
  'sealKeyArn',
  'encryptionKey',
  'cdnSecretArn',
  'suiteClientSecretArn',
  'tenantClientSecretArn',
  'certificateArn',
  'liveCertificateArn',
  'logDestinationArn',
]

/**
 * Checks that all ARNs are in one region.
 * @throws SettingError for an ARN whose region differs from that of the first ARN
 */
function checkRegions(set: Record<string, unknown>): void {
  const arns = ofTheRegion
    .map((name) => ({ name, region: String(set[name]).split(':')[3] }))
    .filter(({ region }) => region)
  const stray = arns.find(({ region }) => region !== arns[0]?.region)
  if (stray)
    throw new SettingError(stray.name, `in the region of ${arns[0]?.name}, which must be the region of the service`)
}

/** Default concurrency of the flow consumer: four parallel batches per shard, plus two for redriven batches. */
const defaultFlowConcurrency = (shards: number | 'on-demand'): number => 4 * (shards === 'on-demand' ? 10 : shards) + 2

const concurrencies = ['ingest', 'device', 'signIn', 'callback', 'change', 'flow'] as const
const noReservations = Object.fromEntries(concurrencies.map((name) => [`${name}Concurrency`, 'none']))

/** Returns the rule that `liveDomainName` violates; false if it violates none. */
function liveNameRule({ live, liveDomainName, domainName, cdnSecretArn }: Settings): string | false {
  if (liveDomainName === null) return false
  if (!live) return 'left out when live=false'
  // Rejects an equal name, because an HTTP API and a WebSocket API cannot share a custom domain in API Gateway.
  if (liveDomainName === domainName) return 'a name other than domainName'
  // Rejects a separate domain if a CDN is used, because the service refuses requests that bypass the CDN.
  return (
    cdnSecretArn !== null && 'left out when cdnSecretArn is set, because devices then connect to the domain of the CDN'
  )
}

/** Returns the rule that `archiveRetentionDays` violates; false if it violates none. */
function archiveRetentionRule({ archiveRetentionDays, flowRetentionDays, logRetentionDays }: Settings): string | false {
  const days = Math.max(flowRetentionDays, logRetentionDays)
  const name = days === flowRetentionDays ? 'flowRetentionDays' : 'logRetentionDays'
  return archiveRetentionDays < days && `at least ${name}, which is ${days}`
}

/** Returns the rule that `archiveTierDays` violates; false if it violates none. */
function archiveTierRule({ archiveTierDays, archiveRetentionDays, flowRetentionDays }: Settings): string | false {
  if (archiveTierDays === 0) return false
  if (archiveTierDays < flowRetentionDays) return `0 or at least flowRetentionDays, which is ${flowRetentionDays}`
  // S3 rejects a lifecycle that moves objects on or after the day of their expiration.
  return archiveTierDays >= archiveRetentionDays && `below archiveRetentionDays, which is ${archiveRetentionDays}`
}

/** Rules that involve several settings, keyed by the setting in violation; false for a rule that is met. */
const brokenRules = (settings: Settings): Record<string, string | false> => {
  const { backupEvery, backupDays, backupLock, keepData, sealRetentionDays, logRetentionDays } = settings
  // True if a sealed object's lock could expire before the log entries that the object proves.
  const endsBefore = keepData && sealRetentionDays !== 0 && sealRetentionDays < logRetentionDays
  return {
    backupDays: backupEvery === 'week' && backupDays < 8 && 'at least 8 when backupEvery=week',
    sealRetentionDays: endsBefore && `at least logRetentionDays, which is ${logRetentionDays}, or 0 for no lock`,
    archiveRetentionDays: archiveRetentionRule(settings),
    archiveTierDays: archiveTierRule(settings),
    backupLock: backupLock !== null && !keepData && 'left out when keepData=false',
    liveDomainName: liveNameRule(settings),
  }
}

function unknownSetting(name: string): SettingError {
  const suggestion = nearestName(name, Object.keys(all))
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
  const message = `There is no setting ${name}; docs/settings.md lists all settings.${hint}`
  return new SettingError(name, 'a setting', message)
}

/**
 * Reads the settings of a deployment from the CDK context.
 * @throws SettingError for all unknown names and invalid values at once, then for the first conflict between settings
 */
export function readSettings({ node }: Construct): Settings {
  // Ignores the CDK's own context, whose names contain other characters, such as `@aws-cdk/core:tags`.
  const names = Object.keys(node.getAllContext()).filter((name) => /^[a-zA-Z][a-zA-Z0-9]*$/.test(name))
  const faults = names.filter((name) => !(name in all)).map(unknownSetting)
  const values = Object.fromEntries(
    Object.entries(all).map(([name, { kind, fallback }]) => {
      const contextValue: unknown = node.tryGetContext(name) ?? null
      const value = contextValue === null ? fallback : kind.read(contextValue)
      if (value === undefined) faults.push(new SettingError(name, kind.rule))
      return [name, value]
    }),
  ) as Settings
  const [first] = faults
  if (first) throw new SettingError(first.setting, first.rule, faults.map(({ message }) => message).join('\n'))
  const set: Record<string, unknown> = values
  for (const [name = '', requiredName = ''] of together) {
    if (set[name] !== null && set[requiredName] === null)
      throw new SettingError(name, `set together with ${requiredName}`)
  }
  for (const [name, bound] of atMost) {
    if (values[name] > values[bound]) throw new SettingError(name, `at most ${bound}, which is ${values[bound]}`)
  }
  checkRegions(set)
  for (const [name, rule] of Object.entries(brokenRules(values))) if (rule) throw new SettingError(name, rule)
  return {
    ...values,
    prefix: values.prefix ?? kebabCase(values.stackName),
    baseUrl: values.baseUrl ?? (values.domainName && `https://${values.domainName}`),
    flowConcurrency: values.flowConcurrency ?? defaultFlowConcurrency(values.flowStreamShards),
    ...(!values.reserveConcurrency && noReservations),
  }
}

function distance(text: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...text].entries()) {
    const next = [i + 1]
    for (const [j, otherLetter] of [...other].entries()) {
      const replacement = (row[j] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(replacement, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Setting name closest to a misspelled name; undefined if none is within two edits. */
function nearestName(name: string, names: string[]): string | undefined {
  const candidates = names.map((candidate) => ({
    candidate,
    edits: distance(name.toLowerCase(), candidate.toLowerCase()),
  }))
  return candidates.filter(({ edits }) => edits <= 2).sort((a, b) => a.edits - b.edits)[0]?.candidate
}
