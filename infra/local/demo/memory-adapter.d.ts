declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider'

  /** The provider's own adapter, which it warns of where it is not chosen. */
  export function createMemoryAdapter(): AdapterFactory
}
