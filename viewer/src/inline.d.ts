declare module "*?worker&inline" {
    const make: new () => Worker;
    export default make;
}
