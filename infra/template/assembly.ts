import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type TemplateResource = {
  Type: string
  Properties?: Record<string, unknown>
  DependsOn?: string | string[]
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
}
export type Template = {
  Resources?: Record<string, TemplateResource>
  Parameters?: Record<string, { Type: string; Default?: unknown }>
  Outputs?: Record<string, { Value: unknown }>
}

export type Assembly = {
  stacks: Array<{ name: string; terminationProtection?: boolean; template: Template }>
  /** Returns the file or folder of an asset, given the hash in its S3 key. */
  asset(key: string): string
  template(path: string): Template
}

type Manifest = {
  artifacts: Record<
    string,
    { type: string; properties?: { stackName?: string; templateFile?: string; terminationProtection?: boolean } }
  >
}
type Assets = { files?: Record<string, { source: { path?: string } }> }

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'))

export function readAssembly(outdir: string): Assembly {
  const manifest = json<Manifest>(join(outdir, 'manifest.json'))
  const stacks = Object.entries(manifest.artifacts)
    .filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack')
    .map(([id, { properties }]) => ({
      name: properties?.stackName ?? id,
      terminationProtection: properties?.terminationProtection ?? false,
      template: json<Template>(join(outdir, properties?.templateFile ?? `${id}.template.json`)),
    }))
  const assets = new Map<string, string>()
  for (const file of readdirSync(outdir).filter((name) => name.endsWith('.assets.json'))) {
    const { files } = json<Assets>(join(outdir, file))
    for (const [hash, { source }] of Object.entries(files ?? {})) {
      if (source.path) assets.set(hash, join(outdir, source.path))
    }
  }
  return {
    stacks,
    asset(key) {
      const hash = key.split('/').at(-1)?.split('.')[0] ?? ''
      const path = assets.get(hash)
      if (!path) throw new Error(`The assembly has no asset ${key}.`)
      return path
    },
    template: (path) => json<Template>(path),
  }
}
