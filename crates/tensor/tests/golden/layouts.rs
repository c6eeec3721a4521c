//! `layouts.json`: where the elements of an image tensor go in each layout, and that they come back.

use stratal_tensor::{
    Tensor,
    base::{ChannelBlock, DType, Layout},
};

use crate::load::fixture;

#[derive(serde::Deserialize)]
struct Fixture {
    maps: Vec<Map>,
}

#[derive(serde::Deserialize)]
struct Map {
    shape: Vec<i64>,
    nhwc_map: Option<Vec<usize>>,
    c8: Blocked,
    c16: Blocked,
}

#[derive(serde::Deserialize)]
struct Blocked {
    size: usize,
    map: Option<Vec<usize>>,
    pad: Option<Vec<usize>>,
}

#[test]
fn elements_land_where_the_maps_say_and_come_back() {
    let fixture: Fixture = fixture(include_str!("../../../tensor-base/tests/fixtures/layouts.json"));
    for map in fixture.maps {
        let count: i64 = map.shape.iter().product();
        for dtype in [DType::I32, DType::U16, DType::F64] {
            // From 1, so that a padding lane, which is 0, is no element.
            let image = Tensor::arange(1, count + 1, 1, DType::I32).unwrap();
            let image = image.reshape(&map.shape).unwrap().cast(dtype).unwrap();
            let numbers = |tensor: &Tensor| tensor.cast(DType::I32).unwrap().to_vec::<i32>().unwrap();
            let expected = numbers(&image);

            let nhwc = image.to_layout(Layout::Nhwc).unwrap();
            assert!(nhwc.matches(Layout::Nhwc) && nhwc.shape() == image.shape());
            assert_eq!(numbers(&nhwc), expected);
            if let Some(places) = &map.nhwc_map {
                let stored = Tensor::from_buffer(nhwc.buffer().clone(), 0, *nhwc.shape(), dtype).unwrap();
                let stored = numbers(&stored);
                let picked: Vec<i32> = places.iter().map(|place| stored[*place]).collect();
                assert_eq!(picked, expected);
            }

            for (block, blocked) in [(ChannelBlock::Eight, &map.c8), (ChannelBlock::Sixteen, &map.c16)] {
                let layout = Layout::NchwBlocked(block);
                for source in [&image, &nhwc] {
                    let tensor = source.to_layout(layout).unwrap();
                    assert_eq!((tensor.layout(), tensor.shape()), (layout, image.shape()));
                    assert_eq!(numbers(&tensor.to_layout(Layout::Nchw).unwrap()), expected);
                    assert_eq!(numbers(&tensor.to_layout(Layout::Nhwc).unwrap()), expected);
                    if dtype != DType::I32 {
                        continue;
                    }
                    let stored = tensor.data::<i32>().unwrap();
                    assert_eq!(stored.len(), blocked.size);
                    if let (Some(places), Some(padding)) = (&blocked.map, &blocked.pad) {
                        let picked: Vec<i32> = places.iter().map(|place| stored[*place]).collect();
                        assert_eq!(picked, expected);
                        assert!(padding.iter().all(|place| stored[*place] == 0));
                    }
                }
            }
            let eight = image.to_layout(Layout::NchwBlocked(ChannelBlock::Eight)).unwrap();
            let sixteen = eight.to_layout(Layout::NchwBlocked(ChannelBlock::Sixteen)).unwrap();
            assert_eq!(numbers(&sixteen.to_layout(Layout::Nchw).unwrap()), expected);
        }
    }
}
