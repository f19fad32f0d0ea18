import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callService, createSite, type Service, startService } from '#test/support/service/service.ts'

let dataDir: string
let service: Service
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'serve-test-'))
  service = await startService({ dataDir })
})
afterAll(async () => {
  await service?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('kill -9', () => {
  it('during writes keeps the acknowledged ones', async () => {
    const acknowledged: string[] = []
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 100; i++) acknowledged.push(await createSite(service, `Storm ${writer}-${i}`))
    })
    const outcomes = Promise.allSettled(writers)
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(5), 60_000)
    await service.kill9()
    await outcomes
    await service.restart()
    for (const id of acknowledged) expect((await callService(service, `/sites/${id}`)).status).toBe(200)
  })

  it('also ends the engines', async () => {
    const pid = Number(JSON.parse(readFileSync(join(dataDir, 'dynamodb.pid'), 'utf8')).pid)
    expect(() => process.kill(pid, 0)).not.toThrow()
    await service.kill9()
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 60_000)
    await service.restart()
  })

  it('between provisioning and storing the credentials is repaired by the next start', async () => {
    const { account_id } = service.credentials
    await service.kill9()
    unlinkSync(join(dataDir, 'credentials.json'))
    await service.restart()
    expect(service.credentials.account_id).toBe(account_id)
    expect((await callService(service, '/account')).status).toBe(200)
  })
})

/** Java program that prints the response status of a request. The JDK's HTTP client offers an upgrade to HTTP/2. */
const javaClient = `
import java.net.URI;
import java.net.http.*;

public class Account {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(args[0] + "/account")).header("authorization", "Bearer " + args[1]).build();
    System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
  }
}
`

describe('a client that offers HTTP/2', () => {
  const answers = (command: string, args: string[]) => {
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
    expect(stdout, stderr).toBe('200')
  }
  const has = (command: string, option: string) => spawnSync(command, [option]).error === undefined

  it.skipIf(!has('curl', '--version'))('is answered: curl --http2', () => {
    const { baseUrl, credentials } = service
    const token = `authorization: Bearer ${credentials.api_token}`
    answers('curl', [
      '-s',
      '--http2',
      '-o',
      join(dataDir, 'answer'),
      '-w',
      '%{http_code}',
      '-H',
      token,
      `${baseUrl}/account`,
    ])
  })

  it.skipIf(!has('java', '--version'))('is answered: the default client of Java (skipped if Java is missing)', () => {
    const file = join(dataDir, 'Account.java')
    writeFileSync(file, javaClient)
    answers('java', [file, service.baseUrl, service.credentials.api_token])
  })
})

describe('a stop', () => {
  it('of an ephemeral service leaves no files', async () => {
    const ephemeral = await startService({ args: ['--ephemeral'], dataDir: join(dataDir, 'unused') })
    const dir = dirname(/Credentials\s+(\S+)/.exec(ephemeral.output())?.[1] ?? '')
    expect(existsSync(dir)).toBe(true)
    await ephemeral.stop()
    expect([existsSync(dir), existsSync(join(dataDir, 'unused'))]).toEqual([false, false])
  })
})
