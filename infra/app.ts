import { buildApp } from './build-app.ts'
import { SettingError } from './settings/settings.ts'

await buildApp().catch((error: unknown) => {
  if (!(error instanceof SettingError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
