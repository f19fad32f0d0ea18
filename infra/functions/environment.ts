import { Token } from 'aws-cdk-lib'
import { SettingError, type Settings } from '../settings/settings.ts'
import { lockDays } from '../storage/lock-days.ts'
import type { Storage } from '../storage/storage.ts'

type Deployed = {
  settings: Settings
  storage: Storage
  channel: { url: string; endpoint: string } | null
  passcodeFunction: string
  urlSuffix: string
}

/** What Lambda takes of all variables together, as JSON. */
const mostBytes = 4_096
/** What AWS makes up, a table's name or an address, is about as long as this at most. */
const madeUpBytes = 100

/** @throws SettingError where Lambda would refuse so much, after the data stack has been deployed */
function fitting(variables: Record<string, string>): Record<string, string> {
  const sizes = Object.entries(variables).map(([name, value]): [string, number] => [
    name,
    name.length + (Token.isUnresolved(value) ? madeUpBytes : Buffer.byteLength(value)) + '"":"",'.length,
  ])
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  if (bytes <= mostBytes) return variables
  const [longest, most] = sizes.reduce((one, other) => (other[1] > one[1] ? other : one))
  const rule = `environment variables of ${mostBytes} bytes; these settings make ${bytes}, ${most} of them ${longest}`
  throw new SettingError(longest, rule, `Lambda takes ${rule}.`)
}

/** The variables of every function (`shared/core/env.ts` reads them). */
export const environment = (deployed: Deployed): Record<string, string> => fitting(variablesOf(deployed))

const variablesOf = ({
  settings,
  storage,
  channel,
  passcodeFunction,
  urlSuffix,
}: Deployed): Record<string, string> => ({
  TABLE_NAME: storage.table.tableName,
  URL_SUFFIX: urlSuffix,
  FLOW_STREAM_NAME: storage.flows.streamName,
  FAILURES_BUCKET: storage.failures.bucketName,
  SERVICE_SECRET_ARN: storage.secret.secretArn,
  SEAL_BUCKET: storage.sealed.bucketName,
  SEAL_KEY_ID: storage.sealKey.keyArn,
  SEAL_LOCK_DAYS: String(lockDays(settings)),
  LOG_RETENTION_DAYS: String(settings.logRetentionDays),
  FLOW_RETENTION_DAYS: String(settings.flowRetentionDays),
  HEARTBEAT_SECS: String(settings.heartbeatSecs),
  SYNC_DELETION_BRAKE_PERCENT: String(settings.syncDeletionBrakePercent),
  LOG_LEVEL: settings.logLevel,
  SERVICE_NAME: settings.stackName,
  METRICS: settings.metrics,
  ...signInEnvironment(settings),
  ...(channel && { LIVE_URL: channel.url, LIVE_ENDPOINT: channel.endpoint }),
  ...syncEnvironment(settings),
  PASSCODE_FUNCTION: passcodeFunction,
  ...(settings.baseUrl && { SERVICE_URL: settings.baseUrl }),
  ...(settings.mailSender && { MAIL_SENDER: settings.mailSender }),
  ...(settings.cdnSecretArn && { CDN_SECRET_ARN: settings.cdnSecretArn }),
})

/** What sign-in needs to know of the deployment (I1.4). */
const signInEnvironment = (settings: Settings): Record<string, string> => ({
  SIGN_IN_REDIRECT_URIS: settings.signInRedirectUris.join(' '),
  SIGN_IN_BURST: String(settings.signInBurst),
  SUITE_ISSUER: settings.suiteIssuer,
  TENANT_ISSUER: settings.tenantIssuer,
  IDP_API_URL: settings.idpApiUrl,
  ...(settings.suiteClientId && { SUITE_CLIENT_ID: settings.suiteClientId }),
  ...(settings.suiteClientSecretArn && { SUITE_CLIENT_SECRET_ARN: settings.suiteClientSecretArn }),
  ...(settings.tenantClientId && { TENANT_CLIENT_ID: settings.tenantClientId }),
  ...(settings.tenantClientSecretArn && { TENANT_CLIENT_SECRET_ARN: settings.tenantClientSecretArn }),
})

/** Where directories and device inventories are read (I1.4). */
const syncEnvironment = (settings: Settings): Record<string, string> => ({
  SUITE_TOKEN_URL: settings.suiteTokenUrl,
  SUITE_API_URL: settings.suiteApiUrl,
  TENANT_TOKEN_URL: settings.tenantTokenUrl,
  TENANT_API_URL: settings.tenantApiUrl,
  MDM_API_URL: settings.mdmApiUrl,
})
