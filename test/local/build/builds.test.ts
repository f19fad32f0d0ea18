import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BuildMessage, build, buildSources, hashSources } from '#infra/local/build/builds.ts'
import { settingVariables } from '#infra/local/build/synthesize.ts'
import { importsOf, sourcesBelow } from '#test/support/run/imports.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the key', () => {
  it('changes with the content or the path of a source, not with its time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sources-'))
    try {
      mkdirSync(join(folder, 'shared'))
      const file = join(folder, 'shared/a.ts')
      writeFileSync(file, 'export const a = 1\n')
      const first = hashSources(folder)
      utimesSync(file, 0, 0)
      expect(hashSources(folder)).toBe(first)
      cpSync(file, join(folder, 'shared/b.ts'))
      const second = hashSources(folder)
      rmSync(file)
      const third = hashSources(folder)
      writeFileSync(join(folder, 'shared/b.ts'), 'export const a = 2\n')
      expect(new Set([first, second, third, hashSources(folder)]).size).toBe(4)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('covers every source file from which the parts are built', () => {
    const reached = new Set(['infra/local/run.ts', 'infra/local/build/build.ts', ...sourcesBelow('functions').keys()])
    // Extends the set while it is read, so that the loop follows the imports.
    for (const file of reached) {
      for (const name of existsSync(file) ? importsOf(file, readFileSync(file, 'utf8')) : []) reached.add(name)
    }
    const isCovered = (file: string) => buildSources.some((source) => file === source || file.startsWith(`${source}/`))
    expect(reached).toContain('test/fakes/tenant.ts')
    expect([...reached].filter((file) => !isCovered(file))).toEqual([])
  })
})

describe('a build', () => {
  /** Builds with the settings of a service that has no variables, as the tests start it. */
  const folders = (...parts: ('functions' | 'deployment')[]) => {
    for (const variable of Object.values(settingVariables)) vi.stubEnv(variable, '')
    return build(tmpdir(), parts)
  }

  it('is used again by the next start with the same code', async () => {
    const made = async () => {
      const { functions, deployment } = folders('functions', 'deployment')
      return [await functions, await deployment].map((folder) => [folder, statSync(join(folder, 'manifest.json')).ino])
    }
    expect(await made()).toEqual(await made())
  })

  it('completes the other parts if one fails, and leaves nothing else behind', async () => {
    const cache = resolve(mkdtempSync('node_modules/.cache/builds-'))
    try {
      const folderOf = (part: string) => resolve(cache, part)
      const order = {
        cache,
        code: hashSources(),
        folders: { deployment: folderOf('deployment'), server: folderOf('server') },
      }
      const child = fork('infra/local/build/build.ts', [JSON.stringify(order)], {
        env: { ...process.env, MAIL_SENDER: 'nobody' },
        execArgv: ['--disable-warning=ExperimentalWarning'],
      })
      const messages: BuildMessage[] = []
      child.on('message', (message: BuildMessage) => messages.push(message))
      const [status] = await once(child, 'exit')
      expect(messages.toSorted((a, b) => a.part.localeCompare(b.part))).toEqual([
        {
          part: 'deployment',
          fault: expect.stringContaining('MAIL_SENDER=nobody must be an email address'),
          isStartupError: true,
        },
        { part: 'server' },
      ])
      expect(status).toBe(1)
      expect(readdirSync(cache)).toEqual(['server'])
    } finally {
      rmSync(cache, { recursive: true })
    }
  })

  it('is repeated for a changed setting, whose error names its variable', async () => {
    folders()
    vi.stubEnv('MAIL_SENDER', 'nobody')
    const { functions, deployment } = build(tmpdir(), ['functions', 'deployment'])
    await expect(deployment).rejects.toThrow('MAIL_SENDER=nobody must be an email address')
    expect(await functions).toBe(await folders('functions').functions)
  })
})
