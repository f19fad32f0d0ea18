declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider'

  /** The package's default storage. Passing it explicitly avoids a warning. */
  export function createMemoryAdapter(): AdapterFactory
}
