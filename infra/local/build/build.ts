import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadOperations } from '#functions/operations.ts'
import { serializeDeployment } from '../../template/deployment.ts'
import { faultText, StartupError } from '../files/fault.ts'
import { type BuildMessage, type BuildOrder, type BuildPart, hashSources } from './builds.ts'
import { install, removeUnused } from './cache.ts'

/**
 * Bundles the server and the process of the engines. The packages that few services load stay in `node_modules`, and so does the Kinesis
 * engine, which is not written in strict mode and loads a native package.
 */
async function bundleServer(outdir: string): Promise<void> {
  const [{ build }, { moduleOptions }] = await Promise.all([import('esbuild'), import('../../code/bundle.ts')])
  const local = fileURLToPath(new URL('..', import.meta.url))
  const { outputFiles } = await build({
    absWorkingDir: local,
    entryPoints: { run: 'run.ts', host: 'engines/host.ts' },
    outdir,
    write: false,
    ...moduleOptions,
    external: ['kinesalite', 'nodemailer', 'oidc-provider'],
    // Defines `require`, with which bundled CommonJS packages load Node's modules and native packages.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);`,
    },
    logLevel: 'error',
  })
  for (const { path, contents } of outputFiles) writeFileSync(path, contents)
}

const work: Record<BuildPart, (outdir: string) => Promise<void>> = {
  server: bundleServer,
  async functions(outdir) {
    const { bundle } = await import('../../code/bundle.ts')
    await bundle(await loadOperations(), outdir)
  },
  async deployment(outdir) {
    const { synthesize } = await import('./synthesize.ts')
    const deployment = await synthesize(await loadOperations())
    writeFileSync(join(outdir, 'deployment.json'), serializeDeployment(deployment))
  },
}

const send = (message: BuildMessage) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })

/** Builds in a temporary folder beside the target. Other processes therefore never see an incomplete folder. */
async function make(part: BuildPart, folder: string): Promise<void> {
  const temporary = mkdtempSync(`${folder}.`)
  try {
    await work[part](temporary)
    if (hashSources() !== code) throw new StartupError('The source files changed during the build. Start again.')
    install(temporary, folder)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
  await send({ built: part })
}

const { cache, code, folders }: BuildOrder = JSON.parse(process.argv[2] ?? '{}')
process.once('disconnect', () => process.exit(1))
try {
  await Promise.all(Object.entries(folders).map(([part, folder]) => make(part as BuildPart, folder)))
  removeUnused(cache)
  process.exit(0)
} catch (error) {
  await send({ fault: faultText(error), isStartupError: error instanceof StartupError })
  process.exit(1)
}
