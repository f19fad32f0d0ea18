import type { Kind } from './kinds.ts'

/** A choice of a deployment. */
export type Setting<T> = {
  kind: Kind<T>
  /** Null where nothing is chosen. */
  fallback: T | null
  /** Description for the table in docs/settings.md. */
  what: string
  /** The default in words, where it is not a value. */
  otherwise?: string
}

export const setting = <T>(kind: Kind<T>, fallback: NoInfer<T>, what: string): Setting<T> & { fallback: T } => ({
  kind,
  fallback,
  what,
})

export const optional = <T>(kind: Kind<T>, what: string, otherwise?: string): Setting<T> => ({
  kind,
  fallback: null,
  what,
  ...(otherwise && { otherwise }),
})
