import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from 'aws-cdk-lib'
import { buildApp } from './build-app.ts'

type Options = Omit<NonNullable<Parameters<typeof buildApp>[0]>, 'code' | 'outdir'>

/** Builds the app without bundling its code, to inspect the templates. Deletes the assembly (`outdir`) afterwards. */
export async function withoutCode<T>(options: Options, use: (app: App, outdir: string) => T): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'templates-'))
  try {
    const [code, outdir] = [join(directory, 'code'), join(directory, 'assembly')]
    mkdirSync(code)
    writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => {}\n')
    return use(await buildApp({ ...options, outdir, code }), outdir)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
