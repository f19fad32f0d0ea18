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
    textSetting(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a letter and up to 63 letters, digits and hyphens'),
    'NetworkAccess',
    "name of the service's stack, beginning of the others' and of names that CloudFormation makes up",
  ),
  prefix: optional(
    textSetting(/^[a-z][a-z0-9-]{0,31}$/, 'a small letter and up to 31 of them, digits and hyphens'),
    'beginning of names that are spelled out',
    'made of `stackName`',
  ),
  // Each resource has them all in the template, of which CloudFormation takes 1 MB.
  tags: setting(pairs(40, 1_000), {}, 'tags of everything that can have some'),
  permissionsBoundary: optional(
    textSetting(
      /^(arn:[^:]+:iam::(\d{12}|aws):policy\/\S{1,640}|[\w+=,.@-]{1,128})$/,
      'the name or ARN of a managed policy',
    ),
    'boundary of every role',
  ),
}

const behaviourSettings = {
  syncDeletionBrakePercent: setting(
    integerSetting(1, 100),
    defaultSettings.syncDeletionBrakePercent,
    'how many percent of what a directory or inventory owns one sync run may delete before it stops',
  ),
  heartbeatSecs: setting(
    integerSetting(1, 86_400),
    defaultSettings.heartbeatSecs,
    'how often gateways and clients call; a lease is three of them',
  ),
  live: setting(flag, true, 'whether gateways and clients have a live channel'),
  mailSender: optional(mailAddress, 'whom mails to administrators come from, verified in Amazon SES'),
}

/**
 * Every choice of a deployment, by CDK context (`cdk deploy -c flowStreamShards=2`), in the order of the table in
 * docs/settings.md, which is generated from this.
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

/** Values of all settings of a deployment; null where nothing is chosen. */
export type Settings = { [K in keyof Merged]: ValueOf<Merged[K]> } & {
  prefix: string
  flowConcurrency: number | 'none'
}

/** A setting with a bad value, and the rule that it breaks. */
export class SettingError extends Error {
  readonly setting: string
  readonly rule: string

  constructor(setting: string, rule: string, message = `The context value ${setting} must be ${rule}.`) {
    super(message)
    this.setting = setting
    this.rule = rule
  }
}

const all: Record<string, Setting<unknown>> = Object.assign({}, ...Object.values(settingGroups))

/** `NetworkAccess` → `network-access`, as an address or a path spells it. */
const spelled = (name: string): string =>
  name
    .replace(/(?<=[a-z0-9])[A-Z]/g, '-$&')
    .slice(0, 32)
    .toLowerCase()

/** Settings that need another one: pairs that need each other, then those that need the second alone. */
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

/** Bounds that API Gateway would apply before the setting: those of the account, and of routes for sign-in. */
const atMost = [
  ['throttleRate', 'accountRequests'],
  ['anonymousRate', 'accountRequests'],
  ['ingestRate', 'accountRequests'],
  ['signInBurst', 'anonymousBurst'],
] as const

/** Resources that functions reach in their own region alone, and certificates of addresses in it. */
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

/** @throws SettingError for an ARN of another region than that of the others: each was copied from somewhere */
function checkRegions(set: Record<string, unknown>): void {
  const arns = ofTheRegion
    .map((name) => ({ name, region: String(set[name]).split(':')[3] }))
    .filter(({ region }) => region)
  const stray = arns.find(({ region }) => region !== arns[0]?.region)
  if (stray) throw new SettingError(stray.name, `of the region of ${arns[0]?.name}, which is that of the service`)
}

/** A shard is read in four lanes, and failed batches may be redriven beside them. */
const flowLanes = (shards: number | 'on-demand'): number => 4 * (shards === 'on-demand' ? 10 : shards) + 2

const concurrencies = ['ingest', 'device', 'signIn', 'callback', 'change', 'flow'] as const
const nothingReserved = Object.fromEntries(concurrencies.map((name) => [`${name}Concurrency`, 'none']))

/** The rule that the name of the channel breaks beside other settings. */
function liveNameRule({ live, liveDomainName, domainName, cdnSecretArn }: Settings): string | false {
  if (liveDomainName === null) return false
  if (!live) return 'left out with live=false'
  // API Gateway gives a name to APIs of HTTP or of WebSocket, not to both.
  if (liveDomainName === domainName) return 'another name than domainName'
  // Requests that do not come through the CDN are refused.
  return cdnSecretArn !== null && 'left out with cdnSecretArn, with which devices connect by the name of the CDN'
}

/** The rules that a setting breaks beside others, by its name; false where it breaks none. */
const brokenRules = (settings: Settings): Record<string, string | false> => {
  const { backupEvery, backupDays, backupLock, keepData, sealRetentionDays, logRetentionDays } = settings
  // Else a lock could end before the entries that its objects prove.
  const endsBefore = keepData && sealRetentionDays !== 0 && sealRetentionDays < logRetentionDays
  return {
    backupDays: backupEvery === 'week' && backupDays < 8 && 'at least 8 with backupEvery=week',
    sealRetentionDays: endsBefore && `at least logRetentionDays, which is ${logRetentionDays}, or 0 for no lock`,
    backupLock: backupLock !== null && !keepData && 'left out with keepData=false',
    liveDomainName: liveNameRule(settings),
  }
}

function unknownSetting(name: string): SettingError {
  const near = nearestName(name, Object.keys(all))
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  const message = `There is no setting ${name}; docs/settings.md lists all settings.${meant}`
  return new SettingError(name, 'a setting', message)
}

/** @throws SettingError at names that are no settings and values that break their rules, then at values that do not fit together */
export function readSettings({ node }: Construct): Settings {
  // The CDK's own names have other characters.
  const given = Object.keys(node.getAllContext()).filter((name) => /^[a-zA-Z][a-zA-Z0-9]*$/.test(name))
  const faults = given.filter((name) => !(name in all)).map(unknownSetting)
  const values = Object.fromEntries(
    Object.entries(all).map(([name, { kind, fallback }]) => {
      const given: unknown = node.tryGetContext(name) ?? null
      const value = given === null ? fallback : kind.read(given)
      if (value === undefined) faults.push(new SettingError(name, kind.rule))
      return [name, value]
    }),
  ) as Settings
  const [first] = faults
  if (first) throw new SettingError(first.setting, first.rule, faults.map(({ message }) => message).join('\n'))
  const set: Record<string, unknown> = values
  for (const [name = '', needed = ''] of together) {
    if (set[name] !== null && set[needed] === null) throw new SettingError(name, `given together with ${needed}`)
  }
  for (const [name, bound] of atMost) {
    if (values[name] > values[bound]) throw new SettingError(name, `at most ${bound}, which is ${values[bound]}`)
  }
  checkRegions(set)
  for (const [name, rule] of Object.entries(brokenRules(values))) if (rule) throw new SettingError(name, rule)
  return {
    ...values,
    prefix: values.prefix ?? spelled(values.stackName),
    baseUrl: values.baseUrl ?? (values.domainName && `https://${values.domainName}`),
    flowConcurrency: values.flowConcurrency ?? flowLanes(values.flowStreamShards),
    ...(!values.reserveConcurrency && nothingReserved),
  }
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, compared] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter === compared ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The known name that a misspelled one most likely means; undefined where none is within two edits. */
function nearestName(name: string, known: string[]): string | undefined {
  const near = known.map((one) => ({ one, edits: distance(name.toLowerCase(), one.toLowerCase()) }))
  return near.filter(({ edits }) => edits <= 2).sort((a, b) => a.edits - b.edits)[0]?.one
}
