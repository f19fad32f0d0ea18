import { readFileSync } from 'node:fs'

const { version: packageVersion } = JSON.parse(readFileSync('package.json', 'utf8'))

/** True from v1.0.0 on. From then on, each version must be able to read the stored forms of the previous version (docs/evolution.md). */
export const isReleased = (version: string = packageVersion): boolean => Number(version.split('.')[0]) >= 1
