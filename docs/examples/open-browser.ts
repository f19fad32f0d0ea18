import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens a page in the system's browser. Does nothing if there is no browser or with `BROWSER=none`; the caller also prints the
 * address.
 */
export function openBrowser(page: string): void {
  if (process.env.BROWSER === 'none') return
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, page], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
