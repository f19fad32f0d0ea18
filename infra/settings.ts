import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { defaultSettings } from '#shared/core/env.ts'
import { logLevels } from '#shared/core/log.ts'
import { metricSettings } from '#shared/core/metrics.ts'
import { either, flag, integer, type Kind, oneOf, pairs, text, texts } from './setting-kinds.ts'

/** A choice of a deployment. */
type Setting<T> = {
  kind: Kind<T>
  /** Null where nothing is chosen. */
  fallback: T | null
  /** What it is, for the table in README.md. */
  what: string
  /** The default in words, where it is not a value. */
  otherwise?: string
}

const setting = <T>(kind: Kind<T>, fallback: NoInfer<T>, what: string): Setting<T> & { fallback: T } => ({
  kind,
  fallback,
  what,
})
const optional = <T>(kind: Kind<T>, what: string, otherwise?: string): Setting<T> => ({
  kind,
  fallback: null,
  what,
  ...(otherwise && { otherwise }),
})

/** A hundred years: times before 1970 and ends of rows stay within what the table and a date hold. */
const days = integer(1, 36_500)
const address = text(/^[^@\s]+@[^@\s]+$/, 'an address like access@example.com')
const url = text(/^https?:\/\/[^\s/]+(\/\S*)?$/, 'an address like https://access.example.com')
const clientId = text(/^[\x21-\x7e]{1,255}$/, 'up to 255 visible characters')
/** Where an app or page can be led back to; schemes of an app's own have a dot (RFC 8252, 7.1). */
const redirectUri =
  /^(https:\/\/[^\s/#@]+|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:)(\/[^\s#]*)?$/
const concurrency = either(integer(1, 100_000), oneOf('none'))
const requests = integer(1, 1_000_000)
const secretArn = text(
  /^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+-\w{6}$/,
  'the whole ARN of a secret, with its six last characters',
)
const certificate = (where: string, region: string) =>
  text(new RegExp(`^arn:[^:]+:acm:${region}:\\d{12}:certificate/\\S+$`), `the ARN of a certificate ${where}`)
const keptLogDays = Object.values(RetentionDays).filter(
  (value): value is number => typeof value === 'number' && value !== RetentionDays.INFINITE,
)

/**
 * Every choice of a deployment, by CDK context (`cdk deploy -c flowStreamShards=2`). The table of settings in README.md is
 * made of this.
 */
export const settingGroups = {
  Install: {
    stackName: setting(
      text(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a letter and up to 63 letters, digits and hyphens'),
      'NetworkAccess',
      "name of the service's stack, beginning of the others' and of names that CloudFormation makes up",
    ),
    prefix: optional(
      text(/^[a-z][a-z0-9-]{0,31}$/, 'a small letter and up to 31 of them, digits and hyphens'),
      'beginning of names that are spelled out',
      'made of `stackName`',
    ),
    tags: setting(pairs(40), {}, 'tags of everything that can have some'),
    permissionsBoundary: optional(
      text(/^(arn:[^:]+:iam::(\d{12}|aws):policy\/\S+|[\w+=,.@-]{1,128})$/, 'the name or ARN of a managed policy'),
      'boundary of every role',
    ),
  },
  Data: {
    keepData: setting(flag, true, '`false` for a trial: data goes with its stack, nothing protects it'),
    encryptionKey: setting(
      either(oneOf('aws', 'own'), text(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/\S+$/, 'the ARN of a key')),
      'aws',
      "what encrypts data at rest: keys of AWS, the deployment's own, or one that is there",
    ),
    tableStreamArn: optional(
      text(/^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/, 'the ARN of the stream of a table'),
      'stream of an existing table, which is used',
    ),
    flowStreamArn: optional(
      text(/^arn:[^:]+:kinesis:[^:]+:\d{12}:stream\/[^/]+$/, 'the ARN of a Kinesis stream'),
      'existing flow stream',
    ),
    failuresBucket: optional(
      text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
      'existing bucket of failed batches',
    ),
    serviceSecretArn: optional(secretArn, 'existing service secret'),
    secretReplicaRegion: optional(
      text(/^[a-z]{2,}(-[a-z]+)+-\d$/, 'a region like eu-central-1'),
      'region that the service secret is copied to',
    ),
    backupVaultArn: optional(
      text(/^arn:[^:]+:backup:[^:]+:\d{12}:backup-vault:[^:]+$/, 'the ARN of a backup vault'),
      'vault of another account or region that daily backups are copied to',
    ),
    backupDays: setting(days, 35, 'how long backups are kept'),
    logRetentionDays: setting(
      days,
      defaultSettings.logRetentionDays,
      'how long the change, session and api_request logs are kept',
    ),
    flowRetentionDays: setting(days, defaultSettings.flowRetentionDays, 'how long the flow log is kept'),
    sealRetentionDays: setting(
      integer(0, 36_500),
      400,
      'how long nobody can delete what the sealed logs rest on (Object Lock); `0` leaves the lock off',
    ),
    flowStreamShards: setting(either(integer(1, 10_000), oneOf('on-demand')), 1, 'shards of the flow stream'),
  },
  Address: {
    baseUrl: optional(url, 'address that callers use', "`domainName`, else the API's own"),
    domainName: optional(
      text(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'a name like access.example.com'),
      "custom domain; the API's own address is turned off",
    ),
    certificateArn: optional(certificate('in the region of the service', '[^:]+'), 'certificate of `domainName`'),
    ipAddressType: setting(oneOf('dualstack', 'ipv4'), 'dualstack', 'whether IPv6 is answered, too'),
    frontCertificateArn: optional(
      certificate('in us-east-1', 'us-east-1'),
      'certificate of `domainName` for CloudFront, which is put in front',
    ),
    webAclArn: optional(
      text(/^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/\S+$/, 'the ARN of a web ACL of CloudFront'),
      'web ACL of CloudFront that is there already',
      'one is made, in us-east-1',
    ),
    requestsPerAddress: setting(
      integer(10, 2_000_000_000),
      60_000,
      'requests in five minutes that the web ACL lets through from one address',
    ),
    originSecretDays: setting(integer(1, 1_000), 30, "how often CloudFront's secret rotates"),
    cdnSecretArn: optional(secretArn, 'secret that a CDN proves itself with: requests without it are refused'),
  },
  Load: {
    throttleRate: setting(requests, 3_000, 'requests a second that the API lets through'),
    throttleBurst: setting(requests, 5_000, '… and at once'),
    ingestRate: setting(requests, 1_000, 'flow reports a second that the API lets through'),
    ingestBurst: setting(requests, 2_000, '… and at once'),
    liveRatePerSecond: setting(requests, 500, 'connections and messages a second that the live channel takes'),
    tableUnits: setting(
      integer(1_000, 100_000_000),
      40_000,
      'units a second, of reads and of writes, that the quota of the account gives a table; an alarm goes off before',
    ),
    ingestConcurrency: setting(concurrency, 100, 'functions kept for flow reports, and no more of them'),
    changeConcurrency: setting(concurrency, 20, "functions kept for each consumer of the table's stream, and no more"),
    flowConcurrency: optional(
      concurrency,
      'functions kept for the consumer of the flow stream, and no more',
      '4 a shard and 2; 42 on demand',
    ),
  },
  Behaviour: {
    syncDeletionBrakePercent: setting(
      integer(1, 100),
      defaultSettings.syncDeletionBrakePercent,
      'how many percent of what a directory or inventory owns one sync run may delete before it stops',
    ),
    heartbeatSecs: setting(
      integer(1, 86_400),
      defaultSettings.heartbeatSecs,
      'how often gateways and clients call; a lease is three of them',
    ),
    live: setting(flag, true, 'whether gateways and clients have a live channel'),
    mailSender: optional(address, 'whom mails to administrators come from, verified in Amazon SES'),
  },
  'Sign-in': {
    signInRedirectUris: setting(
      texts(redirectUri, "addresses: https, http of the caller's own machine, or an app's scheme", 50),
      ['http://127.0.0.1/callback', 'http://[::1]/callback'],
      "where a sign-in leads back to; on the caller's own machine any port",
    ),
    suiteIssuer: setting(url, 'https://accounts.google.com', 'issuer of the workspace suite that people sign in with'),
    suiteClientId: optional(clientId, "client id of the deployment's app at the workspace suite"),
    suiteClientSecretArn: optional(secretArn, 'secret with the client secret of that app'),
    tenantIssuer: setting(
      text(/^https?:\/\/[^\s?#]*\{tenant_id\}[^\s?#{}]*$/, 'an address with {tenant_id} in it'),
      'https://login.microsoftonline.com/{tenant_id}/v2.0',
      'issuer of a tenant of the cloud directory',
    ),
    tenantClientId: optional(clientId, "client id of the deployment's app at the cloud directory"),
    tenantClientSecretArn: optional(secretArn, 'secret with the client secret of that app'),
    idpApiUrl: setting(
      text(/^https?:\/\/[^\s?#]+$/, 'an address, with {idp_domain} for the domain'),
      'https://{idp_domain}',
      'address of an identity-provider service',
    ),
  },
  Synchronisation: {
    suiteTokenUrl: setting(url, 'https://oauth2.googleapis.com/token', 'where tokens for a workspace suite come from'),
    suiteApiUrl: setting(url, 'https://admin.googleapis.com', 'address of the API of a workspace suite'),
    tenantTokenUrl: setting(
      text(/^https?:\/\/[^\s?#]*\{tenant_id\}[^\s?#{}]*$/, 'an address with {tenant_id} in it'),
      'https://login.microsoftonline.com/{tenant_id}/oauth2/v2.0/token',
      'where tokens for a tenant of the cloud directory come from',
    ),
    tenantApiUrl: setting(
      url,
      'https://graph.microsoft.com',
      'address of the API of the cloud directory, for people, groups and devices',
    ),
    mdmApiUrl: setting(
      text(/^https?:\/\/[^\s?#]+$/, 'an address, with {subdomain} for the customer and {.region} for its region'),
      'https://{subdomain}.api{.region}.kandji.io',
      'address of the device service; `{.region}` is `.eu`, or nothing for `us`',
    ),
  },
  Operator: {
    alarmEmail: optional(address, 'who is mailed when an alarm goes off'),
    logLevel: setting(
      oneOf(...logLevels),
      'INFO',
      'least level of what functions write to CloudWatch; `INFO` is a line a request',
    ),
    metrics: setting(
      oneOf(...metricSettings),
      'classes',
      "what the service's own metrics are told apart by; `operations` has both",
    ),
    tracing: setting(flag, false, 'whether AWS X-Ray traces the functions'),
    liveAccessLog: setting(
      flag,
      false,
      'whether the live channel has an access log; the account names a role for logs of API Gateway then',
    ),
    logGroupDays: setting(
      oneOf(...keptLogDays),
      RetentionDays.THREE_MONTHS,
      'how long CloudWatch keeps what functions, API and web ACL write',
    ),
  },
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
  ['frontCertificateArn', 'domainName'],
  ['webAclArn', 'frontCertificateArn'],
  ['suiteClientId', 'suiteClientSecretArn'],
  ['suiteClientSecretArn', 'suiteClientId'],
  ['tenantClientId', 'tenantClientSecretArn'],
  ['tenantClientSecretArn', 'tenantClientId'],
]

/** A shard is read in four lanes, and failed batches may be redriven beside them. */
const flowLanes = (shards: number | 'on-demand'): number => 4 * (shards === 'on-demand' ? 10 : shards) + 2

/** @throws SettingError at the first value that breaks a rule, and at a name that is no setting */
export function readSettings({ node }: Construct): Settings {
  // Names of the CDK's own have other characters.
  for (const name of Object.keys(node.getAllContext())) {
    if (/^[a-z][a-zA-Z0-9]*$/.test(name) && !(name in all)) {
      throw new SettingError(name, 'a setting', `There is no setting ${name}; README.md has a table of all.`)
    }
  }
  const values = Object.fromEntries(
    Object.entries(all).map(([name, { kind, fallback }]) => {
      const given: unknown = node.tryGetContext(name) ?? null
      const value = given === null ? fallback : kind.read(given)
      if (value === undefined) throw new SettingError(name, kind.rule)
      return [name, value]
    }),
  ) as Settings
  const set: Record<string, unknown> = values
  for (const [name, needed] of together) {
    if (set[name] !== null && set[needed] === null) throw new SettingError(name, `given together with ${needed}`)
  }
  return {
    ...values,
    prefix: values.prefix ?? spelled(values.stackName),
    baseUrl: values.baseUrl ?? (values.domainName && `https://${values.domainName}`),
    flowConcurrency: values.flowConcurrency ?? flowLanes(values.flowStreamShards),
  }
}
