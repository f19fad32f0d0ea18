import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../functions/console/', import.meta.url))

/** Leaves out the texts of react-aria in languages that the catalogue of the console does not have. */
const ownLanguageOnly: Plugin = {
  name: 'own language only',
  setup(builder) {
    builder.onResolve({ filter: /[\\/]intl[\\/].*[a-z]{2}-[A-Z]{2}\.mjs$/ }, ({ path }) =>
      path.endsWith('en-US.mjs') ? undefined : { path, namespace: 'other-language', sideEffects: false },
    )
    builder.onLoad({ filter: /./, namespace: 'other-language' }, () => ({ contents: 'export default {}' }))
  },
}

/**
 * Adds the frame and the screens to the imports of each lazy file, which needs them loaded anyway. Otherwise esbuild splits the shared code
 * into one file per combination of lazy files, and the page would load all of them at once.
 */
const sharedCodeInFewFiles: Plugin = {
  name: 'shared code in few files',
  setup(builder) {
    const lazy = new Set<string>()
    builder.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind === 'dynamic-import') lazy.add(join(resolveDir, path))
      return undefined
    })
    builder.onLoad({ filter: /functions[\\/]console[\\/].*\.tsx?$/ }, ({ path }) =>
      lazy.has(path)
        ? {
            loader: 'tsx',
            contents: [
              readFileSync(path, 'utf8'),
              ...['frame/app.tsx', 'screens/routes.tsx'].map((name) => `import ${JSON.stringify(join(root, name))}`),
            ].join('\n'),
          }
        : undefined,
    )
  },
}

const options = {
  absWorkingDir: root,
  entryPoints: ['main.tsx'],
  outdir: join(root, 'built'),
  write: false,
  metafile: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome140', 'firefox140', 'safari18'],
  jsx: 'automatic',
  minify: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [ownLanguageOnly, sharedCodeInFewFiles],
} satisfies BuildOptions

/** Lists the names of the files that the page loads at once: the entry, the screens, which it imports later, and the imports of both. */
function firstFiles({ outputs }: Metafile): { scripts: string[]; style: string } {
  const fileOf = (source: string) => Object.keys(outputs).find((path) => outputs[path]?.entryPoint === source) ?? ''
  const entry = fileOf('main.tsx')
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') visit(next)
  }
  visit(entry)
  visit(fileOf('screens/routes.tsx'))
  return { scripts: [...found].map((path) => basename(path)), style: basename(outputs[entry]?.cssBundle ?? '') }
}

/** Files of the console by name. `first` are the names that the page loads at once, the entry first and the style sheet last. */
export type ConsoleFiles = { page: string; files: Map<string, Uint8Array>; first: string[] }

/** Bundles the console. Names contain a hash of the content, so browsers can cache the files forever. */
export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles, metafile } = await build(options)
  const { scripts, style } = firstFiles(metafile)
  const [entry = '', ...imported] = scripts
  const head = [
    `<link rel="stylesheet" href="/console/_/${style}">`,
    ...imported.map((name) => `<link rel="modulepreload" href="/console/_/${name}">`),
    `<script type="module" src="/console/_/${entry}"></script>`,
  ]
  const page = readFileSync(join(root, 'page.html'), 'utf8').replace('<!-- files -->', head.join('\n    '))
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
  return { page, files, first: [...scripts, style] }
}

/** Writes the page and the files of the console, compressed with each encoding that browsers accept. */
export async function writeConsole(outdir: string): Promise<void> {
  const { page, files } = await buildConsole()
  mkdirSync(outdir, { recursive: true })
  for (const [name, bytes] of [['page.html', Buffer.from(page)] as const, ...files]) {
    writeFileSync(join(outdir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    // Uses quality 9, because quality 11 takes ten times as long and saves 4 %.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(join(outdir, `${name}.br`), brotliCompressSync(bytes, { params }))
  }
}
