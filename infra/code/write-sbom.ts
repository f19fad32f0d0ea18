import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Writes the software bill of materials (CycloneDX 1.5) of all production packages to the path in the first argument. `npm sbom --omit dev`
 * would leave out packages that development dependencies need too. Therefore npm reads a copy of the manifest that has no development
 * dependencies.
 */
const run = promisify(execFile)
const target = process.argv[2] ?? 'cdk.out/sbom.cdx.json'
const root = new URL('../../', import.meta.url)

const temporary = await mkdtemp(join(tmpdir(), 'sbom-'))
try {
  const { devDependencies: _, ...manifest } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  // Names the folder after the package, because npm names the component after the folder.
  const cwd = join(temporary, manifest.name)
  await mkdir(cwd)
  await writeFile(join(cwd, 'package.json'), JSON.stringify(manifest))
  await copyFile(new URL('package-lock.json', root), join(cwd, 'package-lock.json'))
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline'], { cwd })
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
  const { stdout } = await run('npm', ['sbom', ...options], { cwd, maxBuffer: 1e8 })
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, stdout)
} finally {
  await rm(temporary, { recursive: true, force: true })
}
