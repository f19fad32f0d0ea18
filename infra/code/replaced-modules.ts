import { builtinModules } from 'node:module'
import { dirname } from 'node:path'
import type { ImportKind, Plugin } from 'esbuild'

/** Names under which a module of Node exports, which are no words of the language. */
const exportedNames = (name: string): string[] =>
  Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => /^\w+$/.test(key) && key !== 'default')

const namespaces: Partial<Record<ImportKind, string>> = { 'import-statement': 'imported', 'dynamic-import': 'dynamic' }

/**
 * Takes modules of Node from `process.getBuiltinModule`. An import statement reads every export of such a module,
 * of `node:http` also those that load the WebSocket and `fetch` of Node: 20 ms of CPU of a start. The SDK imports `node:http`,
 * for endpoints without TLS, at the first request and by its default.
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

/** Modules of the SDK that its clients name and functions never run, and what replaces each in a bundle. */
const replacements: Record<string, string> = {
  // Clients are given their credentials (shared/core/aws/clients.ts).
  '@aws-sdk/credential-provider-node':
    'export const defaultProvider = () => () => Promise.reject(new Error("No credentials are given."))',
  // Clients are given a handler of HTTP/1.1. Loading `node:http2` costs each start 3 ms of CPU.
  './node-http2-handler': 'export { NodeHttpHandler as NodeHttp2Handler } from "./node-http-handler"',
}

/** Leaves modules out of bundles that are there for settings which the service does not use. */
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
