/** Returns a package that an installation may lack, as an import() of it does; undefined: it is not installed. */
export async function ifInstalled<Module>(loading: Promise<Module>): Promise<Module | undefined> {
  try {
    return await loading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
