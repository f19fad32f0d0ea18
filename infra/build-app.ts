import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { BackupStack } from './backup-stack.ts'
import { bundle } from './bundle.ts'
import { DataStack } from './data-stack.ts'
import { featureFlags } from './feature-flags.ts'
import { ServiceStack } from './service-stack.ts'
import { readSettings } from './settings.ts'

type Options = {
  /** Where the assembly goes; the CDK's own place unless said otherwise. */
  outdir?: string
  operations?: OperationSource[]
  /** Code that is bundled already. */
  code?: string
  /** Settings, as `cdk deploy -c name=value` gives them. */
  context?: Record<string, unknown>
}

/** The stacks of the app: what holds data, and beside it what can be deleted and deployed anew. */
function addStacks(app: App, operations: OperationSource[], code: string): void {
  const settings = readSettings(app)
  const { stackName, backupVaultArn } = settings
  const data = new DataStack(app, `${stackName}-Data`, { settings })
  if (backupVaultArn !== null) {
    new BackupStack(app, `${stackName}-Backup`, { settings, copyTo: backupVaultArn, table: data.storage.table })
  }
  new ServiceStack(app, stackName, { settings, operations, code, data })
}

/** The CDK app with every operation of the registry, its code bundled once. */
export async function buildApp({ outdir, operations, code, context }: Options = {}): Promise<App> {
  const app = new App({ analyticsReporting: false, context: { ...featureFlags, ...context }, outdir })
  const sources = operations ?? (await loadOperations())
  if (code) {
    addStacks(app, sources, code)
    return app
  }
  const directory = await mkdtemp(join(tmpdir(), 'bundle-'))
  try {
    await bundle(sources, directory)
    addStacks(app, sources, directory)
    return app
  } finally {
    // The assembly holds its own copy of the code as soon as the stack is made.
    await rm(directory, { recursive: true, force: true })
  }
}
