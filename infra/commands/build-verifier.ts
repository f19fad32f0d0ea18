import { build } from 'esbuild'

/** Bundles `verify-export` into one file that needs only Node 20 or newer. */
const outfile = process.argv[2] ?? 'verify-export.mjs'
await build({
  entryPoints: ['infra/commands/verify-export.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'error',
  banner: {
    js: '// Verifies exports of sealed logs. Use: node verify-export.mjs <file> [--key <key>] [--against <file or note>]',
  },
})
process.stdout.write(`${outfile}\n`)
