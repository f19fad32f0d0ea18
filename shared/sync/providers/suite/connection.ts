/** What a workspace-suite directory is reached with (A26.1). */
export type SuiteConnection = {
  tokenUrl: string
  apiUrl: string
  issuer: string
  /** JSON, as the provider hands it out. */
  serviceAccountKey: string
  impersonationEmail: string
  /** Null for all domains of the customer. */
  domain: string | null
  groupSyncMode: 'all' | 'filtered' | 'disabled'
  orgunitSyncEnabled: boolean
}
