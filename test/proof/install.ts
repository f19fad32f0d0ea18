import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Installs the locked versions of the vendors' clients if they are missing, because only the proofs need them. */
const folder = import.meta.dirname
const installed = join(folder, 'node_modules', '.package-lock.json')
const locked = statSync(join(folder, 'package-lock.json')).mtimeMs

if (!existsSync(installed) || statSync(installed).mtimeMs < locked) {
  const { status } = spawnSync('npm ci --ignore-scripts', { cwd: folder, shell: true, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

/** Installs the packages of Python that the proofs need. Without Python or a package index, those proofs are skipped. */
const requirements = join(folder, 'requirements.txt')
const environment = join(folder, '.venv')
const installedRequirements = join(environment, 'requirements.txt')
const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

if (contentOf(installedRequirements) !== contentOf(requirements)) {
  const run = (command: string, ...parameters: string[]) =>
    spawnSync(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  rmSync(environment, { recursive: true, force: true })
  const options = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:']
  const isInstalled =
    run('python3', '-m', 'venv', environment) &&
    run(join(environment, 'bin/python'), '-m', 'pip', 'install', ...options, '-r', requirements)
  if (isInstalled) copyFileSync(requirements, installedRequirements)
  else process.stderr.write('The packages of Python were not installed: the proofs that need them are skipped.\n')
}
