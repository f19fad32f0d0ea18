import { Token } from 'aws-cdk-lib'
import { defaultSettings } from '#shared/core/env.ts'
import { lockDays } from '../settings/data.ts'
import { SettingError, type Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'

const maxBytes = 4_096
/** Assumed length of a value that AWS generates, such as a table name or an address. */
const generatedBytes = 100

/**
 * Checks the total size early, because Lambda checks it only after the data stack is deployed.
 * @throws SettingError if the size exceeds `maxBytes`
 */
function checkSize(variables: Record<string, string>): Record<string, string> {
  const sizes = Object.entries(variables).map(([name, value]): [string, number] => [
    name,
    name.length + (Token.isUnresolved(value) ? generatedBytes : Buffer.byteLength(value)) + '"":"",'.length,
  ])
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  if (bytes <= maxBytes) return variables
  const [largestName, largestSize] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a))
  const rule = `environment variables of at most ${maxBytes} bytes, but these settings result in ${bytes}, of which ${largestName} takes ${largestSize}`
  throw new SettingError(largestName, rule, `Lambda accepts ${rule}.`)
}

/** Settings that functions receive as environment variables, such as `logLevel` as `LOG_LEVEL`. */
const passedSettings = [
  'logRetentionDays',
  'flowRetentionDays',
  'archiveRetentionDays',
  'heartbeatSecs',
  'syncDeletionBrakePercent',
  'logLevel',
  'metrics',
  'signInRedirectUris',
  'signInBurst',
  'suiteIssuer',
  'tenantIssuer',
  'idpApiUrl',
  'suiteClientId',
  'suiteClientSecretArn',
  'tenantClientId',
  'tenantClientSecretArn',
  'suiteTokenUrl',
  'suiteApiUrl',
  'tenantTokenUrl',
  'tenantApiUrl',
  'mdmApiUrl',
  'mailSender',
  'console',
  'cdnSecretArn',
] as const satisfies (keyof Settings)[]

const fallbacks: Partial<Record<keyof Settings, unknown>> = defaultSettings

export function environment(
  settings: Settings,
  storage: Storage,
  channel: { url: string; endpoint: string } | null,
  passcodeFunction: string,
): Record<string, string> {
  const fromSettings = passedSettings.flatMap((name): [string, string][] => {
    const value = settings[name]
    // Leaves out what functions assume without it, because Lambda limits the size.
    if (value === fallbacks[name]) return []
    const text = Array.isArray(value) ? value.join(' ') : String(value)
    return value === null ? [] : [[name.replace(/[A-Z]/g, '_$&').toUpperCase(), text]]
  })
  return checkSize({
    TABLE_NAME: storage.table.tableName,
    FLOW_STREAM_NAME: storage.flows.streamName,
    FAILURES_BUCKET: storage.failures.bucketName,
    SIGNING_SECRET_ARN: storage.signingSecret.secretArn,
    SECRET_KEY_ARN: storage.secretKey.keyArn,
    SEAL_BUCKET: storage.sealed.bucketName,
    SEAL_KEY_ID: storage.sealKey.keyArn,
    SEAL_LOCK_DAYS: String(lockDays(settings)),
    ARCHIVE_BUCKET: storage.archive.bucketName,
    SERVICE_NAME: settings.stackName,
    ...Object.fromEntries(fromSettings),
    ...(channel && { LIVE_URL: channel.url, LIVE_ENDPOINT: channel.endpoint }),
    PASSCODE_FUNCTION: passcodeFunction,
    ...(settings.baseUrl && { SERVICE_URL: settings.baseUrl }),
  })
}
