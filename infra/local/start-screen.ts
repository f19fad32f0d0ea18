import { credentialsFile } from './demo-account.ts'

/** What a person sees when the service is ready. */
export function startScreen(baseUrl: string, dir: string, ephemeral: boolean, seconds: number): string {
  const credentials = credentialsFile(dir)
  return `
  Network Access Administration is ready at ${baseUrl} after ${seconds.toFixed(1)} s.

  Credentials   ${credentials}
  Data          ${dir}${ephemeral ? ' (removed at the end)' : ''}

  Try it in another terminal:

    TOKEN=$(node -p "require('${credentials}').api_token")
    curl ${baseUrl}/account -H "Authorization: Bearer $TOKEN"
    curl ${baseUrl}/sites -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"site":{"name":"Office"}}'
    curl "${baseUrl}/logs?type=change" -H "Authorization: Bearer $TOKEN"

  Ctrl-C ends it.

`
}
