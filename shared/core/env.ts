const readOptional = (name: string): string | null => process.env[name] || null

function readText(name: string): string {
  const value = readOptional(name)
  if (value === null) throw new Error(`The environment variable ${name} is missing.`)
  return value
}

const trimSlash = (address: string): string => address.replace(/\/$/, '')

const readInteger = (name: string, fallback: number): number =>
  Number.parseInt(readOptional(name) ?? String(fallback), 10)

export const defaultSettings = {
  logRetentionDays: 90,
  flowRetentionDays: 120,
  archiveRetentionDays: 400,
  heartbeatSecs: 30,
  syncDeletionBrakePercent: 50,
  signInBurst: 20,
}

export type ProviderApp = { clientId: string; secret: string | null; secretArn: string | null }

/** Reads the app registration for a kind of provider. Returns null if its id or secret is not configured. */
function providerApp(kind: 'SUITE' | 'TENANT'): ProviderApp | null {
  const clientId = readOptional(`${kind}_CLIENT_ID`)
  const secret = readOptional(`${kind}_CLIENT_SECRET`)
  const secretArn = readOptional(`${kind}_CLIENT_SECRET_ARN`)
  return clientId && (secret || secretArn) ? { clientId, secret, secretArn } : null
}

const readers = {
  tableName: () => readText('TABLE_NAME'),
  flowStreamName: () => readText('FLOW_STREAM_NAME'),
  /** True for the table engine of a single machine, which syncs the disk after each statement of a batch. False on AWS. */
  batchesAsTransactions: () => readOptional('BATCHES_AS_TRANSACTIONS') !== null,
  /** Configured address of the service; null if there is none. Callers use `serviceAddress`. */
  baseUrl: () => readOptional('SERVICE_URL')?.replace(/\/$/, '') ?? null,
  logRetentionDays: () => readInteger('LOG_RETENTION_DAYS', defaultSettings.logRetentionDays),
  flowRetentionDays: () => readInteger('FLOW_RETENTION_DAYS', defaultSettings.flowRetentionDays),
  archiveRetentionDays: () => readInteger('ARCHIVE_RETENTION_DAYS', defaultSettings.archiveRetentionDays),
  /** Issuer of the workspace suite of this deployment (A25.2). */
  suiteIssuer: () => trimSlash(readText('SUITE_ISSUER')),
  suiteApp: () => providerApp('SUITE'),
  /** Issuer of a cloud directory tenant; `{tenant_id}` is replaced with the id of the tenant (I1.4). */
  tenantIssuer: () => readText('TENANT_ISSUER'),
  /** Address of an identity provider's API; `{idp_domain}` is replaced with the provider's domain (I1.4). */
  idpApiUrl: () => trimSlash(readText('IDP_API_URL')),
  suiteTokenUrl: () => readText('SUITE_TOKEN_URL'),
  suiteApiUrl: () => trimSlash(readText('SUITE_API_URL')),
  /** Token endpoint of a cloud directory tenant; `{tenant_id}` is replaced with the id of the tenant (I1.4). */
  tenantTokenUrl: () => readText('TENANT_TOKEN_URL'),
  /** API for the directories and devices of cloud directory tenants (I1.4). */
  tenantApiUrl: () => trimSlash(readText('TENANT_API_URL')),
  /**
   * API for device management (I1.4). `{subdomain}` is replaced with the customer's subdomain, and `{.region}` with a region other than the
   * first.
   */
  mdmApiUrl: () => trimSlash(readText('MDM_API_URL')),
  tenantApp: () => providerApp('TENANT'),
  /** Addresses that a sign-in may redirect to. Loopback addresses match with any port (I2.2). */
  signInRedirectUris: () => (readOptional('SIGN_IN_REDIRECT_URIS') ?? '').split(/\s+/).filter(Boolean),
  /** True if the deployment serves the web console, whose cookie authenticates requests (K3.3). */
  console: () => readOptional('CONSOLE') !== 'false',
  /** True for the service on a single machine, which is reached over HTTP on loopback only. Always false in Lambda. */
  isSingleMachine: () =>
    /^http:\/\/127\.0\.0\.1(:\d+)?\/?$/.test(process.env.SERVICE_URL ?? '') && !process.env.AWS_LAMBDA_FUNCTION_NAME,
  /** Burst of requests for each sign-in step and source address (A9). */
  signInBurst: () => readInteger('SIGN_IN_BURST', defaultSettings.signInBurst),
  /** Permits external services on the local machine and over plain HTTP (I1.2). Always false in Lambda. */
  allowInsecureProviders: () => process.env.ALLOW_INSECURE_PROVIDERS === '1' && !process.env.AWS_LAMBDA_FUNCTION_NAME,
  heartbeatSecs: () => readInteger('HEARTBEAT_SECS', defaultSettings.heartbeatSecs),
  /** WebSocket address for devices (C1); null when the deployment has no live channel. */
  liveUrl: () => readOptional('LIVE_URL'),
  liveEndpoint: () => trimSlash(readText('LIVE_ENDPOINT')),
  /** Percentage of a directory's objects that a sync run may delete before it stops (I5.3). */
  syncDeletionBrakePercent: () => readInteger('SYNC_DELETION_BRAKE_PERCENT', defaultSettings.syncDeletionBrakePercent),
  logLevel: () => readOptional('LOG_LEVEL') ?? 'INFO',
  /** Namespace of log lines and metrics, which distinguishes several installations in one AWS account. */
  serviceName: () => readOptional('SERVICE_NAME') ?? 'network-access',
  /** Version of the running function; undefined on a single machine. */
  functionVersion: () => readOptional('AWS_LAMBDA_FUNCTION_VERSION') ?? undefined,
  metrics: () => readOptional('METRICS') ?? 'none',
  /** `text` for a terminal, or `json` for one JSON object per line. */
  logFormat: () => readOptional('LOG_FORMAT') ?? 'json',
  /** Bucket for stream batches that a consumer could not process. */
  failuresBucket: () => readOptional('FAILURES_BUCKET'),
  distributionId: () => readText('DISTRIBUTION_ID'),
  /** Name prefix and KMS key of the secrets that store new API tokens; null on a single machine. */
  tokenSecrets() {
    const prefix = readOptional('TOKEN_SECRETS')
    return prefix === null ? null : { prefix, key: readOptional('TOKEN_SECRETS_KEY') }
  },
  passcodeFunction: () => readText('PASSCODE_FUNCTION'),
  sealBucket: () => readText('SEAL_BUCKET'),
  /** Days for which objects in the seal bucket are locked. The lock is renewed each year; 0 means no lock. */
  sealLockDays: () => readInteger('SEAL_LOCK_DAYS', 0),
  sealKeyId: () => readText('SEAL_KEY_ID'),
  /** Folder that replaces the seal bucket on a single machine. `sealKeyFile` replaces the KMS key. */
  sealFolder: () => readOptional('SEAL_FOLDER'),
  sealKeyFile: () => readOptional('SEAL_KEY_FILE'),
  archiveBucket: () => readText('ARCHIVE_BUCKET'),
  /** Folder that replaces the archive bucket on a single machine. */
  archiveFolder: () => readOptional('ARCHIVE_FOLDER'),
  /** Sender address of mails; null when the deployment sends no mail. */
  mailSender: () => readOptional('MAIL_SENDER'),
  /** Settings of the legacy API (section 16 of the `/v0` contract). */
  v0: () => ({
    devicesPerUser: readInteger('V0_DEVICES_PER_USER', 10),
    ipv4: {
      network: readOptional('V0_IPV4_NETWORK') ?? '100.64.0.0/10',
      server: readOptional('V0_IPV4_SERVER') ?? '100.64.0.1',
    },
    ipv6: {
      network: readOptional('V0_IPV6_NETWORK') ?? 'fd00::/106',
      server: readOptional('V0_IPV6_SERVER') ?? 'fd00::1',
    },
    deprecatedAt: new Date(readOptional('V0_DEPRECATED_AT') ?? '2025-01-01T00:00:00Z'),
    sunsetAt: process.env.V0_SUNSET_AT ? new Date(process.env.V0_SUNSET_AT) : null,
  }),
}

type Settings = { readonly [N in keyof typeof readers]: ReturnType<(typeof readers)[N]> }

/** Settings of the deployment. Each setting is read when it is used, never at import, so that modules can be loaded anywhere. */
export const env = Object.defineProperties(
  {},
  Object.fromEntries(Object.entries(readers).map(([name, get]) => [name, { get }])),
) as Settings
