function text(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is missing.`)
  return value
}

function integer(name: string, fallback: number): number {
  const value = process.env[name]
  return value ? Number.parseInt(value, 10) : fallback
}

/** The settings of the legacy API (`/v0` contract, 16). */
const v0 = () => ({
  devicesPerUser: integer('V0_DEVICES_PER_USER', 10),
  ipv4: { network: process.env.V0_IPV4_NETWORK || '100.64.0.0/10', server: process.env.V0_IPV4_SERVER || '100.64.0.1' },
  ipv6: { network: process.env.V0_IPV6_NETWORK || 'fd00::/106', server: process.env.V0_IPV6_SERVER || 'fd00::1' },
  deprecatedAt: new Date(process.env.V0_DEPRECATED_AT || '2025-01-01T00:00:00Z'),
  sunsetAt: process.env.V0_SUNSET_AT ? new Date(process.env.V0_SUNSET_AT) : null,
})

/** What settings are where a deployment does not choose. */
export const defaultSettings = {
  logRetentionDays: 90,
  flowRetentionDays: 120,
  heartbeatSecs: 30,
  syncDeletionBrakePercent: 50,
  signInBurst: 20,
}

/** The deployment's own app registration at a kind of provider. */
export type ProviderApp = { clientId: string; secret: string | null; secretArn: string | null }

/** Null where it is not configured: without its secret it cannot sign anybody in. */
function providerApp(kind: 'SUITE' | 'TENANT'): ProviderApp | null {
  const clientId = process.env[`${kind}_CLIENT_ID`]
  const secret = process.env[`${kind}_CLIENT_SECRET`] || null
  const secretArn = process.env[`${kind}_CLIENT_SECRET_ARN`] || null
  return clientId && (secret || secretArn) ? { clientId, secret, secretArn } : null
}

/** The deployment's settings. Each is read when asked, never at import, so that a module can be loaded anywhere. */
export const env = {
  get tableName() {
    return text('TABLE_NAME')
  },
  get flowStreamName() {
    return text('FLOW_STREAM_NAME')
  },
  /** The address that the deployment says; `serviceAddress` is the one to ask. */
  get baseUrl() {
    return process.env.SERVICE_URL?.replace(/\/$/, '') || null
  },
  get logRetentionDays() {
    return integer('LOG_RETENTION_DAYS', defaultSettings.logRetentionDays)
  },
  get flowRetentionDays() {
    return integer('FLOW_RETENTION_DAYS', defaultSettings.flowRetentionDays)
  },
  /** Issuer of the workspace suite of this deployment (A25.2). */
  get suiteIssuer() {
    return text('SUITE_ISSUER').replace(/\/$/, '')
  },
  /** The app that people of a workspace suite sign in with (I1.4). */
  get suiteApp() {
    return providerApp('SUITE')
  },
  /** Issuer of a tenant of the cloud directory; `{tenant_id}` stands for the tenant (I1.4). */
  get tenantIssuer() {
    return text('TENANT_ISSUER')
  },
  /** Address of an identity-provider service; `{idp_domain}` stands for the domain (I1.4). */
  get idpApiUrl() {
    return text('IDP_API_URL').replace(/\/$/, '')
  },
  /** Where tokens for a workspace suite's API come from, and the API itself (I1.4). */
  get suiteTokenUrl() {
    return text('SUITE_TOKEN_URL')
  },
  get suiteApiUrl() {
    return text('SUITE_API_URL').replace(/\/$/, '')
  },
  /** Where tokens for a tenant come from; `{tenant_id}` stands for the tenant (I1.4). */
  get tenantTokenUrl() {
    return text('TENANT_TOKEN_URL')
  },
  /** Address of the API of tenants, of their directory and their devices (I1.4). */
  get tenantApiUrl() {
    return text('TENANT_API_URL').replace(/\/$/, '')
  },
  /** Address of a device service; `{subdomain}` stands for the customer, `{.region}` for a region other than the first (I1.4). */
  get mdmApiUrl() {
    return text('MDM_API_URL').replace(/\/$/, '')
  },
  /** The app that people of a tenant sign in with (I1.4). */
  get tenantApp() {
    return providerApp('TENANT')
  },
  /** Where a sign-in may lead back to; at addresses of the caller's own machine the port is free (I2.2). */
  get signInRedirectUris() {
    return (process.env.SIGN_IN_REDIRECT_URIS ?? '').split(/\s+/).filter(Boolean)
  },
  /** How often each step of a sign-in can be taken at once behind one address (A9). */
  get signInBurst() {
    return integer('SIGN_IN_BURST', defaultSettings.signInBurst)
  },
  /** Whether outside services on this machine are called, by HTTP as well; never in a deployment (I1.2). */
  get allowInsecureProviders() {
    return process.env.ALLOW_INSECURE_PROVIDERS === '1' && !process.env.AWS_LAMBDA_FUNCTION_NAME
  },
  get heartbeatSecs() {
    return integer('HEARTBEAT_SECS', defaultSettings.heartbeatSecs)
  },
  /** Where devices open the live channel (C1); null where the deployment has none. */
  get liveUrl() {
    return process.env.LIVE_URL || null
  },
  /** Where the platform takes messages for connections. */
  get liveEndpoint() {
    return text('LIVE_ENDPOINT').replace(/\/$/, '')
  },
  /** How much of what a directory owns a run may delete before it stops (I5.3). */
  get syncDeletionBrakePercent() {
    return integer('SYNC_DELETION_BRAKE_PERCENT', defaultSettings.syncDeletionBrakePercent)
  },
  /** The least level of what is written for the operator. */
  get logLevel() {
    return process.env.LOG_LEVEL || 'INFO'
  },
  /** Whose lines and metrics they are, where several installs share an account. */
  get serviceName() {
    return process.env.SERVICE_NAME || 'network-access'
  },
  /** Version of the function that runs, by the platform; undefined on one machine. */
  get functionVersion() {
    return process.env.AWS_LAMBDA_FUNCTION_VERSION || undefined
  },
  /** How metrics are told apart; none where a deployment does not say. */
  get metrics() {
    return process.env.METRICS || 'none'
  },
  /** `text` for the person at a terminal, otherwise lines of JSON. */
  get logFormat() {
    return process.env.LOG_FORMAT || 'json'
  },
  /** Where the consumers' failed batches lie. */
  get failuresBucket() {
    return process.env.FAILURES_BUCKET || null
  },
  /** The CloudFront distribution in front, whose secret is rotated. */
  get distributionId() {
    return text('DISTRIBUTION_ID')
  },
  /** The end of every host of AWS, which each partition has of its own; the template tells it. */
  get urlSuffix() {
    return process.env.URL_SUFFIX || 'amazonaws.com'
  },
  /** Where the service secret lies. */
  get serviceSecretArn() {
    return text('SERVICE_SECRET_ARN')
  },
  /** The prefix of the secrets that new API tokens are put into, and the key of the deployment; null on one machine. */
  get tokenSecrets() {
    const prefix = process.env.TOKEN_SECRETS
    return prefix ? { prefix, key: process.env.TOKEN_SECRETS_KEY || null } : null
  },
  /** The function that mails passcodes. */
  get passcodeFunction() {
    return text('PASSCODE_FUNCTION')
  },
  /** The bucket of the sealed logs, and the key in KMS that signs their checkpoints. */
  get sealBucket() {
    return text('SEAL_BUCKET')
  },
  /** Days that objects of that bucket are locked for when they are put, and again each year; 0 without a lock. */
  get sealLockDays() {
    return integer('SEAL_LOCK_DAYS', 0)
  },
  get sealKeyId() {
    return text('SEAL_KEY_ID')
  },
  /** On one machine: the folder that stands for that bucket, and the file of the key. */
  get sealFolder() {
    return process.env.SEAL_FOLDER || null
  },
  get sealKeyFile() {
    return process.env.SEAL_KEY_FILE || null
  },
  /** Whom mails come from; null where the deployment sends none. */
  get mailSender() {
    return process.env.MAIL_SENDER || null
  },
  get v0() {
    return v0()
  },
  /** Where another engine than AWS answers; the SDK reads the DynamoDB one by itself. */
  get kinesisEndpoint() {
    return process.env.KINESIS_ENDPOINT || null
  },
}
