import { exec, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { plainFunctions } from '#infra/code/bundle.ts'

type Component = { name: string; version: string; purl: string; hashes?: { alg: string; content: string }[] }
type Statement = {
  Action: string | string[]
  Resource?: string | string[]
  Condition?: Record<string, Record<string, string>>
}
type Locked = { version: string; integrity?: string; dev?: boolean }

const root = join(import.meta.dirname, '../..')
const text = (file: string) => readFile(join(root, file), 'utf8')
const workflows = (await readdir(join(root, '.github/workflows'))).map((name) => `.github/workflows/${name}`)
const lock: { packages: Record<string, Locked> } = JSON.parse(await text('package-lock.json'))

const packageOf = (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

const examples = ['docs/examples/pipeline.yml', 'docs/examples/deploy-stack.yml']

const hexOf = (integrity: string) => Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')

describe.each([...workflows, ...examples])('%s', (file) => {
  it('pins each action to a commit hash, next to its version', async () => {
    const actions = [...(await text(file)).matchAll(/uses: (?!\.\/)(.+)/g)].map(([, action]) => action)
    expect(actions.length).toBeGreaterThan(1)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('has only a read permission on the repository', async () => {
    expect(await text(file)).toMatch(/^permissions:\n {2}contents: read\n/m)
    expect(await text(file)).not.toMatch(/(contents|packages|actions): write/)
  })
})

describe('roles of the pipeline', async () => {
  const blocks = [...(await text('docs/pipeline.md')).matchAll(/```json\n(.*?)```/gs)]
  const [trust, prepare, execute] = blocks.map(([, json = '']) => JSON.parse(json).Statement as Statement[])
  const actions = (statements: Statement[] = []) => statements.flatMap(({ Action }) => Action)

  it('trust one branch, without a pattern', () => {
    expect(trust).toHaveLength(1)
    const { StringEquals } = trust?.[0]?.Condition ?? {}
    expect(StringEquals).toMatchObject({
      'token.actions.githubusercontent.com:sub': 'repo:<owner>/<repository>:ref:refs/heads/main',
    })
  })

  it('separate preparation from execution', () => {
    expect(actions(prepare)).toContain('cloudformation:CreateChangeSet')
    expect(actions(prepare)).not.toContain('cloudformation:ExecuteChangeSet')
    expect(prepare?.flatMap(({ Resource }) => Resource).join()).not.toContain('deploy-role')
    expect(actions(execute)).toEqual([
      'cloudformation:ExecuteChangeSet',
      'cloudformation:DescribeChangeSet',
      'cloudformation:DescribeStacks',
    ])
    for (const action of [...actions(prepare), ...actions(execute)]) expect(action).not.toContain('*')
  })
})

describe('the SBOM', () => {
  let directory: string
  let components: Component[]

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sbom-test-'))
    const file = join(directory, 'sbom.json')
    await promisify(execFile)(process.execPath, ['infra/code/write-sbom.ts', file], { cwd: root })
    components = JSON.parse(await readFile(file, 'utf8')).components
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('lists each production package of the lock file with its version and hash', () => {
    const listed = new Map(components.map(({ purl, hashes = [] }) => [decodeURIComponent(purl), hashes]))
    const locked = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev)
    // Excludes optional peer dependencies that are not loaded: TypeScript of valibot, types of React's packages.
    const installed = locked.filter(([, one]) => !('optional' in one) && !('devOptional' in one))
    const urls = Map.groupBy(installed, ([path, { version }]) => `pkg:npm/${packageOf(path)}@${version}`)
    expect(urls.size).toBeGreaterThan(60)
    for (const [url, copies] of urls) {
      expect([...listed.keys()]).toContain(url)
      // Omits the hash of a dependency that is bundled in another package, because it has none.
      const hashes = copies.map(([, { integrity }]) => integrity && { alg: 'SHA-512', content: hexOf(integrity) })
      if (hashes.every(Boolean)) expect(listed.get(url), url).toEqual(hashes.slice(0, 1))
    }
  })

  it('lists each package in the bundle of the functions', async () => {
    const operations = await loadOperations()
    const { metafile } = await build({
      absWorkingDir: join(root, 'functions'),
      entryPoints: [...operations.map(({ file }) => file), ...(await plainFunctions())],
      bundle: true,
      write: false,
      // Enables splitting, as in the deployed bundle, so that each package is written once.
      splitting: true,
      outdir: directory,
      format: 'esm',
      platform: 'node',
      metafile: true,
      logLevel: 'silent',
    })
    const bundled = Object.keys(metafile.inputs).flatMap((path) => packageOf(path) ?? [])
    const names = new Set(components.map(({ name }) => name))
    expect(new Set(bundled).size).toBeGreaterThan(5)
    // Includes the renderer of the API reference, which is copied into the bundle.
    for (const name of [...bundled, 'redoc']) expect(names).toContain(name)
  })
})

describe('the audit', () => {
  let audit: string
  let reported: string[]

  const registry = createServer((request, response) => {
    const advisory = (name: string, id: number) => ({
      [name]: [
        { id, url: 'about:blank', title: 'A fault', severity: 'low', vulnerable_versions: '*', cwe: [], cvss: {} },
      ],
    })
    request.resume()
    response.setHeader('content-type', 'application/json')
    const found = reported.map((name, index) => advisory(name, index + 1))
    const name = decodeURIComponent(request.url ?? '').slice(1)
    const version = lock.packages[`node_modules/${name}`]?.version ?? ''
    const packument = { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } }
    response.end(JSON.stringify(request.method === 'POST' ? Object.assign({}, ...found) : packument))
  })
  beforeAll(async () => {
    audit = /run: (npm audit .*)/.exec(await text('.github/workflows/audit.yml'))?.[1] ?? ''
    await once(registry.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => registry.close())

  const run = async (names: string[]): Promise<{ code: number; output: string }> => {
    reported = names
    const { port } = registry.address() as AddressInfo
    const command = `${audit} --registry=http://127.0.0.1:${port}`
    return promisify(exec)(command, { cwd: root }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      ({ code, stdout }) => ({ code, output: stdout }),
    )
  }

  it('fails for an advisory of a production package, even if development needs it, too', async () => {
    expect(lock.packages['node_modules/jose']).not.toHaveProperty('dev')
    for (const name of ['valibot', 'jose']) {
      const { code, output } = await run([name])
      expect(code).toBe(1)
      expect(output).toContain(name)
    }
  })

  it('passes without advisories, and with one of a development package', async () => {
    expect((await run([])).code).toBe(0)
    expect(lock.packages['node_modules/vitest']?.dev).toBe(true)
    expect((await run(['vitest'])).code).toBe(0)
  })
})

it('updates packages of each lock file, and actions', async () => {
  const settings = await text('.github/dependabot.yml')
  expect(settings).toContain('package-ecosystem: npm\n    directories: ["/", "/test/proof"]')
  expect(settings).toContain('package-ecosystem: github-actions\n    directory: /')
})
