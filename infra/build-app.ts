import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { bundle } from './bundle.ts'
import { ServiceStack } from './service-stack.ts'

type Options = {
  /** Where the assembly goes; the CDK's own place unless said otherwise. */
  outdir?: string
  operations?: OperationSource[]
  /** Code that is bundled already. */
  code?: string
  /** Settings, as `cdk deploy -c name=value` gives them. */
  context?: Record<string, unknown>
}

/** The CDK app with every operation of the registry, its code bundled once. */
export async function buildApp({ outdir, operations, code, context }: Options = {}): Promise<App> {
  const app = new App({ analyticsReporting: false, context, outdir })
  const sources = operations ?? (await loadOperations())
  if (code) {
    new ServiceStack(app, 'NetworkAccess', { operations: sources, code })
    return app
  }
  const directory = await mkdtemp(join(tmpdir(), 'bundle-'))
  try {
    await bundle(sources, directory)
    new ServiceStack(app, 'NetworkAccess', { operations: sources, code: directory })
    return app
  } finally {
    // The assembly holds its own copy of the code as soon as the stack is made.
    await rm(directory, { recursive: true, force: true })
  }
}
