import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import type { OperationSource } from '#functions/operations.ts'
import { buildApp } from '#infra/build-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: templates are looked into at every depth
export type Resource = { Type: string; DeletionPolicy?: string; Properties: Record<string, any> }

/** What the app deploys with these operations, without bundling their code. */
export async function templatesOf(operations: OperationSource[], context: Record<string, unknown> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'templates-'))
  try {
    const code = join(directory, 'code')
    mkdirSync(code)
    writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => {}\n')
    const app = await buildApp({ outdir: join(directory, 'assembly'), operations, code, context })
    const stacks = app.node
      .findAll()
      .filter((node) => Stack.isStack(node))
      .map((stack) => Template.fromStack(stack).toJSON())
    const resources = stacks.map((stack) => (stack.Resources ?? {}) as Record<string, Resource>)
    const entries = resources.flatMap((stack) => Object.entries(stack))
    return {
      /** The templates as they are, the service's own first. */
      stacks,
      resources,
      /** Every resource of a type, by its logical id. */
      entries: (type: string): [string, Resource][] => entries.filter(([, { Type }]) => Type === type),
      all: (type: string): Resource[] => entries.map(([, resource]) => resource).filter(({ Type }) => Type === type),
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export type Templates = Awaited<ReturnType<typeof templatesOf>>
