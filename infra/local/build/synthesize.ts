import type { RoutedSource } from '#functions/operations.ts'
import type { Deployment } from '../../template/deployment.ts'
import { StartupError } from '../files/fault.ts'

/** Environment variables for the settings that a local service supports, keyed by setting (docs/settings.md). */
export const settingVariables: Record<string, string> = {
  logLevel: 'LOG_LEVEL',
  logRetentionDays: 'LOG_RETENTION_DAYS',
  flowRetentionDays: 'FLOW_RETENTION_DAYS',
  mailSender: 'MAIL_SENDER',
  console: 'CONSOLE',
  signInRedirectUris: 'SIGN_IN_REDIRECT_URIS',
  signInBurst: 'SIGN_IN_BURST',
  suiteIssuer: 'SUITE_ISSUER',
  tenantIssuer: 'TENANT_ISSUER',
  idpApiUrl: 'IDP_API_URL',
  suiteTokenUrl: 'SUITE_TOKEN_URL',
  suiteApiUrl: 'SUITE_API_URL',
  tenantTokenUrl: 'TENANT_TOKEN_URL',
  tenantApiUrl: 'TENANT_API_URL',
  mdmApiUrl: 'MDM_API_URL',
}

export const settingsFromVariables = (): Record<string, string> => {
  const fromVariables = Object.entries(settingVariables).map(([setting, variable]) => [setting, process.env[variable]])
  // Sets a mail sender. Mails are written to files unless SMTP_URL is set. Sets the lock of sealed logs to 0 and the archive's retention to
  // its maximum, because a folder has neither an object lock nor a lifecycle.
  const defaults = { mailSender: 'network-access@example.com', sealRetentionDays: '0', archiveRetentionDays: '36500' }
  return { ...defaults, ...Object.fromEntries(fromVariables.filter(([, value]) => value)) }
}

/** Reads the deployment from the app's templates, which are synthesized without the code of the functions. */
export async function synthesize(operations: RoutedSource[]): Promise<Deployment> {
  // Skips the CDK's validation of templates, which runs in `npm run synth` and would double the start time.
  process.env.CDK_VALIDATION ??= 'false'
  // Loads the CDK lazily, because the serving process imports this file.
  const { withoutCode } = await import('#infra/without-code.ts')
  const { readDeployment } = await import('../../template/deployment.ts')
  return withoutCode({ context: settingsFromVariables(), operations, versions: false }, (app, outdir) => {
    app.synth()
    return readDeployment(outdir)
  }).catch(explainSettingError)
}

/** Synthesizes the deployment and serializes it. */
export async function synthesizeText(operations: RoutedSource[]): Promise<string> {
  const { serializeDeployment } = await import('../../template/deployment.ts')
  return serializeDeployment(await synthesize(operations))
}

/**
 * Rethrows an error of the synthesis.
 * @throws StartupError naming the environment variable of an invalid setting
 */
async function explainSettingError(error: unknown): Promise<never> {
  const { SettingError } = await import('#infra/settings/settings.ts')
  const variable = error instanceof SettingError ? settingVariables[error.setting] : undefined
  if (!(error instanceof SettingError) || !variable) throw error
  throw new StartupError(`${variable}=${process.env[variable]} must be ${error.rule}.`)
}
