import type { Construct } from 'constructs'
import { addressSettings } from './address.ts'
import { behaviourSettings } from './behaviour.ts'
import { dataSettings } from './data.ts'
import { installSettings } from './install.ts'
import type { Kind } from './kinds.ts'
import { loadSettings } from './load.ts'
import { nearestName } from './nearest-name.ts'
import { operatorSettings } from './operator.ts'
import type { Setting } from './setting.ts'
import { signInSettings } from './sign-in.ts'
import { synchronisationSettings } from './synchronisation.ts'

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

/** What a deployment has chosen; null where nothing is. */
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
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .slice(0, 32)

/** Settings that are of use only with others. */
const together: [setting: string, needs: string][] = [
  ['domainName', 'certificateArn'],
  ['certificateArn', 'domainName'],
  ['liveDomainName', 'liveCertificateArn'],
  ['liveCertificateArn', 'liveDomainName'],
  ['frontCertificateArn', 'domainName'],
  ['webAclArn', 'frontCertificateArn'],
  ['backupLock', 'backupVaultArn'],
  ['suiteClientId', 'suiteClientSecretArn'],
  ['suiteClientSecretArn', 'suiteClientId'],
  ['tenantClientId', 'tenantClientSecretArn'],
  ['tenantClientSecretArn', 'tenantClientId'],
]

/** Bounds that API Gateway would apply before the setting: those of the account, and of routes for sign-in. */
const atMost = [
  ['throttleRate', 'accountRequests'],
  ['anonymousRate', 'accountRequests'],
  ['ingestRate', 'accountRequests'],
  ['signInBurst', 'anonymousBurst'],
] as const

/** What functions reach in their own region alone, and certificates of addresses in it. */
const ofTheRegion = [
  'tableStreamArn',
  'flowStreamArn',
  'serviceSecretArn',
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

/** Reservations of a deployment with `reserveConcurrency=false`. */
const nothingReserved = {
  ingestConcurrency: 'none',
  deviceConcurrency: 'none',
  signInConcurrency: 'none',
  callbackConcurrency: 'none',
  changeConcurrency: 'none',
} as const

/** What is wrong with the name of the channel beside other settings; null when nothing is. */
function liveNameRule({ live, liveDomainName, domainName, cdnSecretArn }: Settings): string | null {
  if (liveDomainName === null) return null
  if (!live) return 'left out with live=false'
  // API Gateway gives a name to APIs of HTTP or of WebSocket, not to both.
  if (liveDomainName === domainName) return 'another name than domainName'
  // What does not come through the CDN is refused.
  return cdnSecretArn === null ? null : 'left out with cdnSecretArn, with which devices connect by the name of the CDN'
}

/** @throws SettingError for a lock that could end before the entries that its objects prove */
function checkLock({ keepData, sealRetentionDays, logRetentionDays }: Settings): void {
  if (!keepData || sealRetentionDays === 0 || sealRetentionDays >= logRetentionDays) return
  const rule = `at least logRetentionDays, which is ${logRetentionDays}, or 0 for no lock`
  throw new SettingError('sealRetentionDays', rule)
}

/** The error of a name that is no setting. */
function unknownSetting(name: string): SettingError {
  const near = nearestName(name, Object.keys(all))
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  return new SettingError(
    name,
    'a setting',
    `There is no setting ${name}; docs/settings.md lists all settings.${meant}`,
  )
}

/** @throws SettingError that names all settings that are wrong */
function rejectAll(faults: SettingError[]): void {
  const [first] = faults
  if (first) throw new SettingError(first.setting, first.rule, faults.map(({ message }) => message).join('\n'))
}

/** @throws SettingError at names that are no settings and values that break their rules, then at values that do not fit together */
export function readSettings({ node }: Construct): Settings {
  // Names of the CDK's own have other characters.
  const unknown = Object.keys(node.getAllContext()).filter(
    (name) => /^[a-zA-Z][a-zA-Z0-9]*$/.test(name) && !(name in all),
  )
  const faults = unknown.map(unknownSetting)
  const values = Object.fromEntries(
    Object.entries(all).map(([name, { kind, fallback }]) => {
      const given: unknown = node.tryGetContext(name) ?? null
      const value = given === null ? fallback : kind.read(given)
      if (value === undefined) faults.push(new SettingError(name, kind.rule))
      return [name, value]
    }),
  ) as Settings
  rejectAll(faults)
  const set: Record<string, unknown> = values
  for (const [name, needed] of together) {
    if (set[name] !== null && set[needed] === null) throw new SettingError(name, `given together with ${needed}`)
  }
  for (const [name, bound] of atMost) {
    if (values[name] > values[bound]) throw new SettingError(name, `at most ${bound}, which is ${values[bound]}`)
  }
  if (values.backupEvery === 'week' && values.backupDays < 8)
    throw new SettingError('backupDays', 'at least 8 with backupEvery=week')
  checkRegions(set)
  checkLock(values)
  if (values.backupLock !== null && !values.keepData)
    throw new SettingError('backupLock', 'left out with keepData=false')
  const broken = liveNameRule(values)
  if (broken) throw new SettingError('liveDomainName', broken)
  return {
    ...values,
    ...(!values.reserveConcurrency && nothingReserved),
    prefix: values.prefix ?? spelled(values.stackName),
    baseUrl: values.baseUrl ?? (values.domainName && `https://${values.domainName}`),
    flowConcurrency: values.reserveConcurrency
      ? (values.flowConcurrency ?? flowLanes(values.flowStreamShards))
      : 'none',
  }
}
