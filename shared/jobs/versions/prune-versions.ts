import { deleteVersion, deployedStack, publishedVersions, readAlias } from './deployed-versions.ts'

/** Number of versions kept per function: the deployed one, the previous one, and the one from a deployment in progress. */
const retainedVersions = 3

const isNamed = (error: unknown, ...names: string[]): boolean => error instanceof Error && names.includes(error.name)

async function unusedVersions(functionName: string): Promise<number[]> {
  const old = (await publishedVersions(functionName)).slice(retainedVersions)
  if (old.length === 0) return []
  const { version, others } = await readAlias(functionName)
  return old.filter((candidate) => candidate !== version && !others.includes(candidate))
}

async function prune(functionName: string): Promise<number> {
  let deleted = 0
  for (const version of await unusedVersions(functionName)) {
    try {
      await deleteVersion(functionName, version)
      deleted++
    } catch (error) {
      // Ignores a version that an alias now points to or that another run has deleted.
      if (!isNamed(error, 'ResourceConflictException', 'ResourceNotFoundException')) throw error
    }
  }
  return deleted
}

/** Deletes old versions of the service's functions. @throws AggregateError with all failures, after processing the other functions */
export async function pruneVersions(): Promise<{ deleted: number }> {
  const { versions } = await deployedStack()
  const errors: unknown[] = []
  let deleted = 0
  for (const { functionName } of versions) {
    try {
      deleted += await prune(functionName)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} functions were not pruned.`)
  return { deleted }
}
