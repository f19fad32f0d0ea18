import { builtinModules } from 'node:module'
import { dirname } from 'node:path'
import type { ImportKind, Plugin } from 'esbuild'

const exportedNames = (name: string): string[] =>
  Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => /^\w+$/.test(key) && key !== 'default')

const namespaces: Partial<Record<ImportKind, string>> = { 'import-statement': 'imported', 'dynamic-import': 'dynamic' }

/**
 * Loads Node's modules with `process.getBuiltinModule`, because an import statement reads every export of a module. For `node:http`, this
 * would run getters that load WebSocket and `fetch`, at 20 ms of CPU per cold start. Dynamic imports of `node:http` are replaced too,
 * because the SDK makes one at its first request to an endpoint without TLS.
 */
export const builtInModules: Plugin = {
  name: 'built-in modules',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(node:.+|${builtinModules.join('|')})$`) }, ({ path, kind }) =>
      kind === 'dynamic-import' && path !== 'node:http'
        ? { path, external: true }
        : { path: path.replace(/^(?!node:)/, 'node:'), namespace: namespaces[kind] ?? 'required', sideEffects: false },
    )
    const found = (path: string) => `/* @__PURE__ */ process.getBuiltinModule('${path}')`
    build.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = ${found(path)}`,
    }))
    build.onLoad({ filter: /./, namespace: 'dynamic' }, ({ path }) => ({ contents: `export default ${found(path)}` }))
    build.onLoad({ filter: /./, namespace: 'imported' }, ({ path }) => ({
      contents: [
        `const found = ${found(path)}`,
        'export default found',
        ...exportedNames(path).map(
          (name) => `const _${name} = /* @__PURE__ */ (() => found.${name})()\nexport { _${name} as ${name} }`,
        ),
      ].join('\n'),
    }))
  },
}

/** Replacements, by import path, of SDK modules that clients import but functions never use. */
const replacements: Record<string, string> = {
  // Replaces the credential chain, because clients are created with credentials (shared/core/aws/clients.ts).
  '@aws-sdk/credential-provider-node':
    'export const defaultProvider = () => () => Promise.reject(new Error("No credentials are given."))',
  // Replaces the HTTP/2 handler, because clients use HTTP/1.1. Loading `node:http2` would cost 3 ms of CPU at a cold start.
  './node-http2-handler': 'export { NodeHttpHandler as NodeHttp2Handler } from "./node-http-handler"',
}

export const unusedParts: Plugin = {
  name: 'unused parts',
  setup(build) {
    const filter = new RegExp(`^(${Object.keys(replacements).join('|')})$`)
    build.onResolve({ filter }, ({ path, importer }) => ({
      path,
      namespace: 'replaced',
      pluginData: dirname(importer),
      sideEffects: false,
    }))
    build.onLoad({ filter: /./, namespace: 'replaced' }, ({ path, pluginData }) => ({
      contents: replacements[path] as string,
      resolveDir: pluginData,
    }))
  },
}
