/** What a device service is reached with (A28.1). */
export type MdmConnection = { apiUrl: string; apiToken: string }
