import type { OperationSource } from '#functions/operations.ts'
import { type Deployment, readDeployment } from '../../template/deployment.ts'
import { StartupError } from '../files/fault.ts'
import { settingsFromVariables, settingVariables } from '../settings.ts'

/** Reads the deployment from the app's templates, which are synthesized without the code of the functions. */
export async function synthesize(operations: OperationSource[]): Promise<Deployment> {
  // Skips the CDK's validation of templates, which runs in `npm run synth` and would double the start time.
  process.env.CDK_VALIDATION ??= 'false'
  // Loads the CDK lazily, so that importing this file is fast.
  const { withoutCode } = await import('#infra/without-code.ts')
  return withoutCode({ context: settingsFromVariables(), operations }, (app, outdir) => {
    app.synth()
    return readDeployment(outdir)
  }).catch(explainSettingError)
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
