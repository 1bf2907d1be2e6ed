/** A store some of whose methods are others. */
export function overriding<Store extends object>(store: Store, others: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in others ? others : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
