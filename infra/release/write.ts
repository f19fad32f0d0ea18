import { renewLastRelease } from './last-release.ts'

/** At a release: what is built against from here on. What a deployment of before loses by it belongs into the changelog. */
for (const sentence of await renewLastRelease()) process.stdout.write(`${sentence}\n`)
