const optional = (name: string): string | null => process.env[name] || null

function text(name: string): string {
  const value = optional(name)
  if (value === null) throw new Error(`The environment variable ${name} is missing.`)
  return value
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '')

const integer = (name: string, fallback: number): number => Number.parseInt(optional(name) ?? String(fallback), 10)

/** Values of settings that a deployment does not choose. */
export const defaultSettings = {
  logRetentionDays: 90,
  flowRetentionDays: 120,
  heartbeatSecs: 30,
  syncDeletionBrakePercent: 50,
  signInBurst: 20,
}

/** The deployment's own app registration at a kind of provider. */
export type ProviderApp = { clientId: string; secret: string | null; secretArn: string | null }

/** Reads the app registration of a kind of provider; null when its id or secret is not configured. */
function providerApp(kind: 'SUITE' | 'TENANT'): ProviderApp | null {
  const clientId = optional(`${kind}_CLIENT_ID`)
  const secret = optional(`${kind}_CLIENT_SECRET`)
  const secretArn = optional(`${kind}_CLIENT_SECRET_ARN`)
  return clientId && (secret || secretArn) ? { clientId, secret, secretArn } : null
}

const readers = {
  tableName: () => text('TABLE_NAME'),
  flowStreamName: () => text('FLOW_STREAM_NAME'),
  /** Configured address of the service; callers use `serviceAddress`. */
  baseUrl: () => optional('SERVICE_URL')?.replace(/\/$/, '') ?? null,
  logRetentionDays: () => integer('LOG_RETENTION_DAYS', defaultSettings.logRetentionDays),
  flowRetentionDays: () => integer('FLOW_RETENTION_DAYS', defaultSettings.flowRetentionDays),
  /** Issuer of the workspace suite of this deployment (A25.2). */
  suiteIssuer: () => withoutSlash(text('SUITE_ISSUER')),
  suiteApp: () => providerApp('SUITE'),
  /** Issuer of a tenant of the cloud directory; `{tenant_id}` stands for the tenant (I1.4). */
  tenantIssuer: () => text('TENANT_ISSUER'),
  /** Address of an identity-provider service; `{idp_domain}` stands for the domain (I1.4). */
  idpApiUrl: () => withoutSlash(text('IDP_API_URL')),
  suiteTokenUrl: () => text('SUITE_TOKEN_URL'),
  suiteApiUrl: () => withoutSlash(text('SUITE_API_URL')),
  /** Token endpoint of a tenant; `{tenant_id}` stands for the tenant (I1.4). */
  tenantTokenUrl: () => text('TENANT_TOKEN_URL'),
  /** API of the directory and the devices of tenants (I1.4). */
  tenantApiUrl: () => withoutSlash(text('TENANT_API_URL')),
  /** Device service; `{subdomain}` stands for the customer, `{.region}` for a region other than the first (I1.4). */
  mdmApiUrl: () => withoutSlash(text('MDM_API_URL')),
  tenantApp: () => providerApp('TENANT'),
  /** Addresses that a sign-in may return to; for loopback addresses the port is free (I2.2). */
  signInRedirectUris: () => (optional('SIGN_IN_REDIRECT_URIS') ?? '').split(/\s+/).filter(Boolean),
  /** Burst of each step of a sign-in by source address (A9). */
  signInBurst: () => integer('SIGN_IN_BURST', defaultSettings.signInBurst),
  /** Allows outside services on this machine, also by HTTP; never in a deployment (I1.2). */
  allowInsecureProviders: () => process.env.ALLOW_INSECURE_PROVIDERS === '1' && !process.env.AWS_LAMBDA_FUNCTION_NAME,
  heartbeatSecs: () => integer('HEARTBEAT_SECS', defaultSettings.heartbeatSecs),
  /** Address of the live channel for devices (C1); null where the deployment has none. */
  liveUrl: () => optional('LIVE_URL'),
  liveEndpoint: () => withoutSlash(text('LIVE_ENDPOINT')),
  /** Share of the objects of a directory that a run may delete before it stops (I5.3). */
  syncDeletionBrakePercent: () => integer('SYNC_DELETION_BRAKE_PERCENT', defaultSettings.syncDeletionBrakePercent),
  logLevel: () => optional('LOG_LEVEL') ?? 'INFO',
  /** Namespace that separates log lines and metrics of several installs in one AWS account. */
  serviceName: () => optional('SERVICE_NAME') ?? 'network-access',
  /** Version of the running function; undefined on a single machine. */
  functionVersion: () => optional('AWS_LAMBDA_FUNCTION_VERSION') ?? undefined,
  metrics: () => optional('METRICS') ?? 'none',
  /** `text` for a terminal, otherwise lines of JSON. */
  logFormat: () => optional('LOG_FORMAT') ?? 'json',
  /** Bucket of the batches that a consumer has failed on. */
  failuresBucket: () => optional('FAILURES_BUCKET'),
  /** CloudFront distribution whose origin secret is rotated. */
  distributionId: () => text('DISTRIBUTION_ID'),
  /** Name prefix of the secrets that new API tokens are stored in, and the deployment's KMS key; null on a single machine. */
  tokenSecrets() {
    const prefix = optional('TOKEN_SECRETS')
    return prefix === null ? null : { prefix, key: optional('TOKEN_SECRETS_KEY') }
  },
  passcodeFunction: () => text('PASSCODE_FUNCTION'),
  sealBucket: () => text('SEAL_BUCKET'),
  /** Days that objects of the seal bucket are locked for when they are put, and again each year; 0 without a lock. */
  sealLockDays: () => integer('SEAL_LOCK_DAYS', 0),
  /** KMS key that signs checkpoints of the sealed logs. */
  sealKeyId: () => text('SEAL_KEY_ID'),
  /** Folder in place of the seal bucket, and file of its key, on a single machine. */
  sealFolder: () => optional('SEAL_FOLDER'),
  sealKeyFile: () => optional('SEAL_KEY_FILE'),
  /** Sender of mails; null where the deployment sends none. */
  mailSender: () => optional('MAIL_SENDER'),
  /** Settings of the legacy API (`/v0` contract, 16). */
  v0: () => ({
    devicesPerUser: integer('V0_DEVICES_PER_USER', 10),
    ipv4: {
      network: optional('V0_IPV4_NETWORK') ?? '100.64.0.0/10',
      server: optional('V0_IPV4_SERVER') ?? '100.64.0.1',
    },
    ipv6: { network: optional('V0_IPV6_NETWORK') ?? 'fd00::/106', server: optional('V0_IPV6_SERVER') ?? 'fd00::1' },
    deprecatedAt: new Date(optional('V0_DEPRECATED_AT') ?? '2025-01-01T00:00:00Z'),
    sunsetAt: process.env.V0_SUNSET_AT ? new Date(process.env.V0_SUNSET_AT) : null,
  }),
}

type Settings = { readonly [N in keyof typeof readers]: ReturnType<(typeof readers)[N]> }

/** The deployment's settings. Each is read when used, never at import, so that a module can be loaded anywhere. */
export const env = Object.defineProperties(
  {},
  Object.fromEntries(Object.entries(readers).map(([name, get]) => [name, { get }])),
) as Settings
